import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, taskNamed, tokenizerNamed } from "../../../tasks/index.ts";
import { questionsIn } from "./targets.test-helper.ts";
import type { StateForm } from "./targets.ts";

const stream = exampleStream(4, "train");

/** For each question of the first example: the text before it is asked, the state as text, and the classes asked for. */
function questions(name: string, params: object, form: StateForm, kind: "word" | "character" = "word") {
  const prepared = prepareTask(taskNamed(name), params);
  const tokenizer = tokenizerNamed(kind, prepared.words);
  const { batch, questions: states } = questionsIn(prepared, tokenizer, form, { rows: 2, seed: 4 });
  const { length } = batch;
  const { sizes } = states;
  const n = sizes.variables;
  const found = Array.from({ length: 2 * sizes.questions }, (_, q) => q)
    .filter((q) => states.weights[q] === 1)
    .map((q) => {
      const row = Math.floor(q / sizes.questions);
      const text = states.text.subarray(q * sizes.text, q * sizes.text + states.textLengths[q]);
      return {
        row,
        before: tokenizer.decode(batch.tokens.subarray(row * length, states.positions[q] + 1)),
        text: tokenizer.decode(text),
        classes: Array.from({ length: n }, (_, i) =>
          states.valueWeights[q * n + i] === 1 ? prepared.values[states.values[q * n + i]] : undefined,
        ),
      };
    });
  return { prepared, found, sizes, examples: [0, 1].map((i) => exampleFrom(prepared, stream(i))) };
}

test.each([
  ["parity-program", { length: [2, 5] }],
  ["list-permutation", { size: 3, length: 2 }],
  ["repl", { variables: 3, commands: 4, spacing: 2 }],
  ["group-words", { length: 4 }],
])("%s: at the end of each line the question is the true state there", (name, params) => {
  const { found, examples, prepared } = questions(name, params, { state: "all", position: "newline" });
  const wanted = examples.flatMap(({ text, states }, row) =>
    states
      .filter(({ end }) => end > 0)
      .map(({ end, values }) => {
        const classes = prepared.variables.map((variable) => values[variable]);
        return { row, before: text.slice(0, end), text: classes.join(""), classes };
      }),
  );
  expect(found).toEqual(wanted);
});

test("of changed variables the text has the names, and the classes of the others are not asked for", () => {
  const { found, examples } = questions(
    "repl",
    { variables: 3, commands: 3, spacing: 3 },
    { state: "changed", position: "newline" },
  );
  for (const [row, { states }] of examples.entries()) {
    const own = found.filter((each) => each.row === row);
    expect(own).toHaveLength(4);
    for (const [i, { text, classes }] of own.entries()) {
      const [now, before] = [states[i].values, states[i - 1]?.values ?? {}];
      const changed = Object.entries(now).filter(([variable, value]) => before[variable] !== value);
      expect(text).toBe(changed.map(([variable, value]) => variable + value).join(""));
      expect(classes.filter((each) => each !== undefined)).toEqual(changed.map(([, value]) => value));
    }
  }
});

test("numbers of several digits are spelled with the name of the one variable that a line assigns", () => {
  for (const kind of ["word", "character"] as const) {
    const form = { state: "changed", position: "newline" } as const;
    const { found, examples, sizes } = questions("arithmetic-program", { length: 3, digits: 2 }, form, kind);
    const lines = examples.flatMap(({ states }) =>
      states.flatMap(({ values }, i) => {
        const before = states[i - 1]?.values ?? {};
        const [changed] = Object.entries(values).filter(([variable, value]) => before[variable] !== value);
        return changed === undefined ? [] : [changed.join("")]; // a line may assign what was there
      }),
    );
    expect(found.map(({ text }) => text)).toEqual(lines);
    expect(sizes.text).toBe(1 + "-6336".length);
  }
});

test("position line asks at every token of the line with the state after it, and at no print", () => {
  const params = { variables: 2, commands: 2, spacing: 1 };
  const { found, examples } = questions("repl", params, { state: "all", position: "line" });
  const [{ text, states }] = examples;
  for (const { end, values } of states.slice(1)) {
    const start = text.lastIndexOf("\n", end - 2) + 1;
    const own = found.filter(({ row, before }) => row === 0 && before.length > start && before.length <= end);
    expect(own).toHaveLength(9); // the prompt, four names, two commas, the equals sign, the newline
    for (const each of own) expect(each.text).toBe(Object.values(values).join(""));
  }
  const asked = found
    .filter(({ row }) => row === 0)
    .map(({ before }) => before.slice(before.lastIndexOf("\n", before.length - 2) + 1));
  expect(asked.filter((line) => line.includes("print"))).toEqual([]);
});
