import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import {
  batchWriter,
  emptyBatch,
  exampleStream,
  maximumLength,
  prepareTask,
  tasks,
} from "../../tasks/index.ts";
import { wordTokenizer } from "../../tasks/tokenizer.ts";
import { weighMixed, withFalsePrints } from "./noisy.ts";

const prepared = prepareTask(tasks.repl, { variables: 5, commands: 8, spacing: 1 });
const tokenizer = wordTokenizer(prepared.words);
const rows = 400;

function batchOf(of: typeof prepared) {
  const batch = emptyBatch(rows, maximumLength(of, tokenizer));
  batchWriter(of, tokenizer)(batch, exampleStream(2, "train"), 0);
  return batch;
}
const truth = batchOf(prepared);

test("so many prints are false, each other value as often, and nothing else of a program is changed", () => {
  const share = 0.3;
  const noisy = batchOf(withFalsePrints(prepared, share));
  expect(noisy.weights).toEqual(truth.weights);
  const values = prepared.values.map((value) => prepared.words.indexOf(value));
  const steps = new Map<number, number>();
  let [asked, wrong] = [0, 0];
  for (const [at, weight] of truth.weights.entries()) {
    if (weight === 0) {
      expect(noisy.targets[at]).toBe(truth.targets[at]);
      continue;
    }
    asked++;
    if (noisy.targets[at] === truth.targets[at]) continue;
    wrong++;
    const step = (values.indexOf(noisy.targets[at]) - values.indexOf(truth.targets[at]) + 5) % 5;
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const spread = Math.sqrt(asked * share * (1 - share));
  expect(Math.abs(wrong - asked * share)).toBeLessThan(5 * spread);
  expect([...steps.keys()].sort()).toEqual([1, 2, 3, 4]);
  for (const count of steps.values())
    expect(Math.abs(count - wrong / 4)).toBeLessThan(5 * Math.sqrt((wrong * 3) / 16));
});

test("who knows the true value and the share of false prints pays H(e) + e ln(n - 1)", () => {
  for (const [share, floor] of [
    [0.1, 0.4637],
    [0.2, 0.7777],
    [0.3, 1.0268],
  ]) {
    const entropy = -share * Math.log(share) - (1 - share) * Math.log(1 - share);
    expect(entropy + share * Math.log(4)).toBeCloseTo(floor, 4);
    const noisy = batchOf(withFalsePrints(prepared, share));
    const paid = [...truth.weights.keys()]
      .filter((at) => truth.weights[at] === 1)
      .map((at) => -Math.log(noisy.targets[at] === truth.targets[at] ? 1 - share : share / 4));
    const mean = paid.reduce((sum, each) => sum + each, 0) / paid.length;
    const deviation = Math.sqrt(share * (1 - share)) * Math.log((4 * (1 - share)) / share);
    expect(Math.abs(mean - floor)).toBeLessThan((5 * deviation) / Math.sqrt(paid.length));
  }
});

test("the weight of the own most probable word is what is taken from the printed one", async () => {
  const [length, vocabulary] = [truth.tokens.length, prepared.words.length];
  const rng = rngFrom(3);
  const said = Float32Array.from({ length: length * vocabulary }, () => -rng.next());
  const context = { step: 40, rng, logProbabilities: async () => said };
  const { targets, weights, records } = await weighMixed((step) => step / 100)(truth, context);
  expect(records).toEqual({ mixing: 0.4 });
  expect(targets[0]).toEqual(truth.targets);
  const asked = truth.weights.reduce((sum, each) => sum + each);
  for (const at of [...truth.weights.keys()].slice(0, 300)) {
    expect(weights[0][at]).toBeCloseTo((0.6 * truth.weights[at]) / asked, 9);
    expect(weights[1][at]).toBeCloseTo((0.4 * truth.weights[at]) / asked, 9);
    const row = [...said.subarray(at * vocabulary, (at + 1) * vocabulary)];
    expect(targets[1][at]).toBe(row.indexOf(Math.max(...row)));
  }
});

test("a task that asks for states is refused in one sentence", () => {
  expect(() => withFalsePrints(prepareTask(tasks["group-words"], {}), 0.1)).toThrow(
    'objective: expected "noisy" with a task that prints values of one word each, got "another task"',
  );
});
