import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { hasPython, runPython } from "../../../python/trace/python.test-helper.ts";
import { parseTrace } from "../../../schemas/trace.ts";
import { type CodeTrace, codeTracesTask, wordsOfCode } from "../../../tasks/code-traces.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed, tokenizerNamed } from "../../../tasks/index.ts";
import { wordTokenizer } from "../../../tasks/tokenizer.ts";
import { questionsIn } from "./targets.test-helper.ts";
import { leftOut, type StateForm } from "./targets.ts";

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

/** What a batch of examples asks: for each program the text up to the token at which it is asked, and the state. */
function asked(
  given: readonly CodeTrace[],
  form: StateForm,
  { params = {}, kind = "word" }: { params?: object; kind?: "word" | "character" } = {},
) {
  const prepared = prepareTask(codeTracesTask(given), { folder: "traces", ...params });
  const tokenizer = tokenizerNamed(kind, prepared.words);
  const rows = 8 * given.length;
  const { batch, questions: states } = questionsIn(prepared, tokenizer, form, { rows, seed: 1 });
  const { length } = batch;
  const { sizes } = states;
  const programs = new Map<string, (readonly [before: string, state: string])[]>();
  for (let row = 0; row < rows; row++) {
    const tokens = (end: number) => tokenizer.decode(batch.tokens.subarray(row * length, end));
    const questions = Array.from({ length: sizes.questions }, (_, i) => row * sizes.questions + i)
      .filter((q) => states.weights[q] === 1)
      .map((q) => {
        const text = states.text.subarray(q * sizes.text, q * sizes.text + states.textLengths[q]);
        return [tokens(states.positions[q] + 1), tokenizer.decode(text)] as const;
      });
    programs.set(tokens(row * length + batch.lengths[row]), questions);
  }
  return { prepared, sizes, programs: [...programs.values()] };
}

const shared = { id: 1, is: [1, 2] };
/** By hand: two variables, one that changes, another name for it, nothing, the first name gone, both its values others. */
const byHand = [
  ["arr, n = [1], 2", { arr: [1], n: 2 }, "arr [1]\nn 2", "arr [1]\nn 2"],
  ["arr.append(n)", { arr: [1, 2], n: 2 }, "arr [1, 2]\nn 2", "arr [1, 2]"],
  ["a = arr", { arr: shared, n: 2, a: { ref: 1 } }, "arr [1, 2]\nn 2\na [1, 2]", "a [1, 2]"],
  ["n += 0", { arr: shared, n: 2, a: { ref: 1 } }, "arr [1, 2]\nn 2\na [1, 2]", ""],
  ["del arr", { n: 2, a: [1, 2] }, "n 2\na [1, 2]", ""],
  ["a[0] = 'x y'", { n: 2, a: ["x y", 2] }, "n 2\na ['x y', 2]", "a ['x y', 2]"],
] as const;
const assert = "assert (a) == ['x y', 2]";
const handWritten: CodeTrace = {
  code: [...byHand.map(([code]) => code), assert, ""].join("\n"),
  literal: "['x y', 2]",
  lines: [
    ...byHand.map(([code, state]) => ({ code, state })),
    { code: assert, state: { n: 2, a: ["x y", 2] } },
  ],
};
const codeUpTo = (line: number) =>
  byHand
    .slice(0, line + 1)
    .map(([code]) => `${code}\n`)
    .join("");

test.each(["word", "character"] as const)(
  "after each line the state is asked for as it was worked out by hand, by %s",
  (kind) => {
    for (const [state, column] of [
      ["all", 2],
      ["changed", 3],
    ] as const) {
      const { programs, sizes } = asked([handWritten], { state, position: "newline" }, { kind });
      const wanted = byHand.map((line, i) => [codeUpTo(i), line[column]]).filter(([, text]) => text !== "");
      expect(programs).toEqual([wanted]);
      expect(sizes).toMatchObject({ questions: byHand.length, variables: 0 });
    }
  },
);

test("at every token of a line the state after it is asked for", () => {
  const params = { mostStates: 100 };
  const { programs } = asked([handWritten], { state: "all", position: "line" }, { params });
  const words = byHand.flatMap(([code, , text], i) =>
    wordsOfCode(`${code}\n`).map((_, k, line) => [
      (i === 0 ? "" : codeUpTo(i - 1)) + line.slice(0, k + 1).join(""),
      text,
    ]),
  );
  expect(programs).toEqual([words]);
});

test("a state of more words than mostStateWords is left out and counted", () => {
  const params = { mostStateWords: 12 }; // arr [1, 2] \n n 2
  const { programs, prepared, sizes } = asked(
    [handWritten],
    { state: "all", position: "newline" },
    { params },
  );
  const kept = [0, 1, 4];
  expect(programs).toEqual([kept.map((i) => [codeUpTo(i), byHand[i][2]])]);
  expect(sizes.text).toBe(12);
  expect(leftOut(prepared.writtenStates!, "all")).toEqual({ states: 6, tooLong: 3 });
  expect(leftOut(prepared.writtenStates!, "changed")).toEqual({ states: 4, tooLong: 0 });
});

test("of a program with more states than mostStates each is asked for equally often, in order", () => {
  const form = { state: "changed", position: "newline" } as const;
  const prepared = prepareTask(codeTracesTask([handWritten]), { folder: "traces", mostStates: 3 });
  const tokenizer = wordTokenizer(prepared.words);
  const rows = 1000;
  const { batch, questions } = questionsIn(prepared, tokenizer, form, { rows, seed: 1 });
  const { length } = batch;
  const { positions, weights } = questions;
  expect(weights.every((weight) => weight === 1)).toBe(true);
  const times = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const own = [...positions.subarray(3 * row, 3 * row + 3)].map((position) => position - row * length);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
    for (const at of new Set(own)) times.set(at, (times.get(at) ?? 0) + 1);
  }
  // Three of four; the standard deviation of each count is 14.
  expect(times.size).toBe(4);
  for (const count of times.values()) expect(Math.abs(count - 750)).toBeLessThan(60);
});

test("programs without states, and a limit that none keeps, are refused in one sentence", () => {
  const form = { state: "all", position: "newline" } as const;
  expect(() => asked([{ code: "n = 12\nassert (n) == 12\n", literal: "12" }], form)).toThrow(
    'stateSupervision: expected programs with the state after each line, got "none". Rows of statelab data trace have it',
  );
  expect(() => asked([handWritten], form, { params: { mostStateWords: 2 } })).toThrow(
    'task.mostStateWords: expected a limit that fits some state, got "none of 6". Raise it',
  );
});

const sources = [
  [
    "def f(xs):\n    total = 0\n    for x in xs:\n        if x > 1:\n            total += x\n    return total\n",
    "f([1, 2, 3])",
  ],
  [
    "def f(s):\n    parts = s.split(' ')\n    first = parts\n    first.append(s[::-1])\n    del s\n    return parts\n",
    "f('it\\'s a \"b\"')",
  ],
  [
    "def f(n):\n    d = {}\n    while n > 0:\n        d[n] = (n, n / 2)\n        n -= 1\n    return d\n",
    "f(3)",
  ],
  [
    "def f(a):\n    b = [a, a]\n    b[0].append(True)\n    seen = {3}\n    c, a = a, None\n    return c\n",
    "f([[], 1.5])",
  ],
];
/** Runs each program by itself, and tells its variables as repr writes them. */
const EXECUTE = `
import json, sys
def run(code):
    space = {}
    exec(code, space)
    return {name: repr(value) for name, value in space.items() if name != "__builtins__"}
print(json.dumps([run(code) for code in json.load(sys.stdin)]))
`;

test.skipIf(!hasPython)(
  "of real traces every state asked for is what Python holds after running the text so far (skipped without python3)",
  () => {
    const records = runPython(sources.map(([source, call]) => ({ operation: "trace", source, call })));
    const given = records.map((record, i) => parseTrace(record, sources[i][1]));
    const texts = given.map(({ lines }) =>
      lines
        .slice(0, -1)
        .map((_, i) => lines.slice(0, i + 1).reduce((text, { code }) => `${text}${code}\n`, "")),
    );
    const input = JSON.stringify(texts.flat());
    const { stdout } = spawnSync("python3", ["-I", "-c", EXECUTE], { input, encoding: "utf8" });
    const held: Record<string, string>[] = JSON.parse(stdout);
    const helper = /^(forloop|return|manager|caught)\d+$/;
    for (const state of ["all", "changed"] as const) {
      let at = 0;
      const wanted = texts.map((own) => {
        const first = at;
        return own.flatMap((text) => {
          const before = at === first ? {} : held[at - 1];
          const kept = Object.entries(held[at++]).filter(
            ([name, value]) => !helper.test(name) && (state === "all" || before[name] !== value),
          );
          return kept.length === 0 ? [] : [[text, kept.map(([name, value]) => `${name} ${value}`).sort()]];
        });
      });
      const form = { state, position: "newline" } as const;
      const { programs } = asked(given, form, { params: { mostStateWords: 200 } });
      const found = programs.map((questions) =>
        questions.map(([before, text]) => [before, text.split("\n").sort()]),
      );
      // Programs come in the order in which they are drawn.
      expect(new Set(found)).toEqual(new Set(wanted));
      expect(wanted.flat().length).toBeGreaterThan(20);
    }
  },
);
