import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import {
  batchWriter,
  emptyBatch,
  exampleFrom,
  exampleStream,
  maximumLength,
  prepareTask,
  tasks,
} from "../../tasks/index.ts";
import { wordTokenizer } from "../../tasks/tokenizer.ts";
import { weighHints, withHints } from "./hint.ts";

const prepared = prepareTask(tasks.repl, { variables: 3, commands: 4, spacing: 2 });
const tokenizer = wordTokenizer(prepared.words);

test("each print stands there twice, the second is asked for, and without the first the text is as it was", () => {
  const hinted = withHints(prepared);
  for (let i = 0; i < 30; i++) {
    const [plain, told] = [prepared, hinted].map((of) => exampleFrom(of, exampleStream(1, "train")(i)));
    expect(told.reveals.map(({ variable, value }) => [variable, value])).toEqual(
      plain.reveals.map(({ variable, value }) => [variable, value]),
    );
    expect(told.states.map(({ values }) => values)).toEqual(plain.states.map(({ values }) => values));
    const lines = told.text.split("\n");
    const kept = lines.filter(
      (line, at) =>
        !(line.startsWith(">>> print") && lines[at + 2] === line) &&
        !(/^\w \d$/.test(line) && lines[at + 2] === line),
    );
    expect(kept.join("\n")).toBe(plain.text);
    expect(lines.length - kept.length).toBe(2 * plain.reveals.length);
    for (const { start, value } of told.reveals)
      expect(told.text.slice(0, start).split("\n").at(-3)!.endsWith(` ${value}`)).toBe(true);
  }
});

test("its own text and the hinted one are asked at the same prints", async () => {
  const rows = 6;
  const batch = emptyBatch(rows, maximumLength(prepared, tokenizer));
  const { read, weigh } = weighHints(1, prepared);
  batchWriter(prepared, tokenizer)(batch, exampleStream(2, "train"), 0, [read]);
  let hinted: Int32Array | undefined;
  const vocabulary = prepared.words.length;
  const logProbabilities = async (tokens: Int32Array) => {
    hinted = tokens;
    return new Float32Array(tokens.length * vocabulary).fill(-Math.log(vocabulary));
  };
  const { records } = await weigh(batch, { step: 1, rng: rngFrom(1), logProbabilities });
  expect(records!.divergence).toBeCloseTo(0, 9); // both say the same
  const texts = batchWriter(withHints(prepared), tokenizer);
  const told = emptyBatch(rows, 2 * batch.length);
  texts(told, exampleStream(2, "train"), 0);
  for (let row = 0; row < rows; row++) {
    // A batch has all tokens but the last, which nothing is predicted behind.
    const used = told.lengths[row];
    expect([...hinted!.subarray(row * 2 * batch.length, row * 2 * batch.length + used)]).toEqual([
      ...told.tokens.subarray(row * 2 * batch.length, row * 2 * batch.length + used),
    ]);
  }
});

test("the weights of a batch are on average minus the gradient of the divergence from the hinted policy", async () => {
  const rows = 3000;
  const batch = emptyBatch(rows, maximumLength(prepared, tokenizer));
  const { read, weigh } = weighHints(4, prepared);
  batchWriter(prepared, tokenizer)(batch, () => exampleStream(2, "train")(0), 0, [read]);
  const vocabulary = prepared.words.length;
  const weightsOf = (of: (word: number) => number) => {
    const all = Array.from({ length: vocabulary }, (_, word) => of(word));
    const total = all.reduce((sum, each) => sum + each);
    return all.map((each) => each / total);
  };
  const [own, teacher] = [weightsOf((word) => 1 + (word % 3)), weightsOf((word) => 1 + (word % 5))];
  const logProbabilities = async (tokens: Int32Array) => {
    const of = tokens === batch.tokens ? own : teacher;
    return Float32Array.from({ length: tokens.length * vocabulary }, (_, i) => Math.log(of[i % vocabulary]));
  };
  const { targets, weights, records } = await weigh(batch, { step: 1, rng: rngFrom(2), logProbabilities });
  const divergence = own.reduce((sum, p, a) => sum + p * Math.log(p / teacher[a]), 0);
  expect(records!.divergence).toBeCloseTo(divergence, 4);
  const gradient = own.map(() => 0);
  for (const [k, layer] of targets.entries())
    for (const [at, weight] of weights[k].entries())
      if (weight !== 0)
        for (const v of own.keys()) gradient[v] += weight * (Number(layer[at] === v) - own[v]);
  for (const v of own.keys()) {
    const wanted = own[v] * (Math.log(teacher[v] / own[v]) + divergence);
    expect(Math.abs(gradient[v] - wanted), prepared.words[v]).toBeLessThan(0.003);
  }
});

test("a task that asks for states, and words taken apart, are refused in one sentence", () => {
  expect(() => withHints(prepareTask(tasks["group-words"], {}))).toThrow(
    'objective: expected hints with a task that prints values of one word each, got "another task"',
  );
});
