import { expect, test } from "vitest";
import { naive } from "../../models/training.test-helper.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { exampleFrom, exampleStream, prepareTask, tasks, tokenizerNamed } from "../../tasks/index.ts";
import { recordsOf, setUpOf, withTrainer } from "../fixture.test-helper.ts";
import { conforms } from "./conformance.test-helper.ts";
import { type NaiveLoss, surprise } from "./naive.test-helper.ts";
import { posterior } from "./posterior.ts";
import { SEED, setupOf } from "./setup.test-helper.ts";

/** The mean over reveals, each value that there might have been by its share, from the examples as text. */
const expected: NaiveLoss = ({ model, batch, prepared, tokenizer }, weights) => {
  const stream = exampleStream(SEED, "train");
  const surprises = Array.from({ length: batch.rows }, (_, row) => {
    const { text, reveals } = exampleFrom(prepared, stream(row));
    const logits = naive(model, weights, tokenizer.encode(text));
    return reveals.map(({ start, posterior: shares = {} }) => {
      const before = logits[tokenizer.encode(text.slice(0, start)).length - 1];
      const each = Object.entries(shares).map(
        ([value, share]) => share * surprise(before, tokenizer.encode(value)[0]),
      );
      return each.reduce((sum, one) => sum + one, 0);
    });
  }).flat();
  return surprises.reduce((sum, one) => sum + one, 0) / surprises.length;
};

conforms(
  "posterior",
  [
    { task: "pfsa", params: { commands: 3, spacing: [1, 2], probability: 0.3 } },
    { mixer: "deltanet", task: "automaton", params: { commands: 4, spacing: 2, fullEvery: 2 } },
  ],
  expected,
);

/** One reveal of 1 or 2, with shares 0.3 and 0.7. */
const coin = { variables: 2, commands: 1, spacing: 1, probability: 0.3 };
const entropy = -0.3 * Math.log(0.3) - 0.7 * Math.log(0.7);

test("trained by name, the loss falls to the entropy of what is hidden and never below it", async () => {
  const config = RunConfig.parse({
    task: { name: "pfsa", ...coin },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2 },
    train: { loss: "posterior", steps: 80, batch: 8, warmupSteps: 3, learningRate: 0.01 },
  });
  const losses = (await withTrainer(config, recordsOf)).map(({ loss }) => loss);
  expect(losses).toHaveLength(80);
  expect(losses[0]).toBeGreaterThan(entropy + 0.5);
  expect(Math.min(...losses)).toBeGreaterThan(entropy - 1e-5);
  expect(losses[79]).toBeLessThan(entropy + 0.03);
});

test("a task without a posterior, stages of several variants, and values of several tokens are refused in one sentence", () => {
  expect(() => setupOf("posterior", { task: "repl", params: {} })).toThrow(
    'train.loss: expected "revealed-values" for a task without the probabilities of its values, got "posterior"',
  );
  const config = RunConfig.parse({
    task: { name: "pfsa" },
    model: { name: "deltanet" },
    train: { loss: "posterior" },
    curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { probability: 0.9 }]] },
  });
  expect(() => setUpOf(config)).toThrow(
    "This task has no hidden randomness, or a stage has several variants",
  );
  const prepared = prepareTask(tasks.automaton, {});
  const tokenizer = tokenizerNamed("character", prepared.words);
  expect(() => posterior({ tokenizer }).inStage({ prepared, rows: 2, length: 9 })).toThrow(
    'train.loss: expected "revealed-values" where a value is of several tokens, got "posterior"',
  );
});
