import * as fc from "fast-check";
import { expect, test } from "vitest";
import { modelNamed, models } from "../models/index.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { taskNamed } from "../tasks/index.ts";
import { refuseWhatCannotFit } from "./memory-check.ts";
import { setUp } from "./setup.ts";

const gigabyte = 1e9;

function refuse(change: { model?: object; train?: object; task?: object }, machine = 64 * gigabyte) {
  const config = RunConfig.parse({
    task: { name: "repl", commands: 12, ...change.task },
    model: { name: "deltanet", ...change.model },
    train: change.train,
  });
  const architecture = modelNamed(config.model.name);
  refuseWhatCannotFit(setUp(config, { task: taskNamed("repl"), architecture }), machine);
}

test.each([
  [{ train: { batch: 1e9 } }, /a share of 500,000,000 rows/],
  [{ train: { batch: 1e9, padding: "longest" } }, /a share of 500,000,000 rows/],
  [{ model: { width: 1e9 } }, /\d+ parameters/],
  [{ model: { feedForward: 1e12 } }, /\d+ parameters/],
  [{ model: { convolution: 1e9 } }, /\d+ parameters/],
  [{ model: { layers: 1900 } }, /at most 200,000 operations/],
  [{ model: { layers: 20_000 } }, /layers to be at most 2000/],
  [{ task: { commands: 1_000_000 } }, /rows of \d/],
  [{ train: { stopWhenSolved: { examples: 500 } }, model: { width: 1e9 } }, /\d+ parameters/],
])("%j is refused at once, in one sentence", (change, words) => {
  const start = performance.now();
  const before = process.memoryUsage().rss;
  expect(() => refuse(change)).toThrow(words);
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(500e6);
});

test.each(Object.keys(models).filter((name) => name !== "hybrid" && name !== "gmu"))(
  "%s of width 1e9 is counted and not allocated",
  (name) => {
    expect(() => refuse({ model: { name, width: 1e9 } })).toThrow(/parameters and their gradients/);
  },
);

test("layers that take what one below offers are counted above it", () => {
  const model = { name: "hybrid", pattern: ["deltanet", "gmu"], width: 32 };
  refuse({ model: { ...model, layers: 4 } });
  expect(() => refuse({ model: { ...model, layers: 1900 } })).toThrow(/at most 200,000 operations/);
});

test("what fits is let through, and the same training is refused where memory is smaller than its parameters and batch", () => {
  refuse({});
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 64 }), (layers, batch) => {
      const change = { model: { layers, width: 32 }, train: { batch } };
      refuse(change, gigabyte);
      expect(() => refuse(change, 1e5)).toThrow(/this machine's 100\.0 kB/);
    }),
    { numRuns: 5, seed: 1 },
  );
});
