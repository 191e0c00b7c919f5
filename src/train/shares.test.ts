import { expect, test } from "vitest";
import type { RunConfig } from "../schemas/run-config.ts";
import type { Runtime } from "../tensor/index.ts";
import {
  parts,
  quick,
  recordsOf,
  runtime,
  savedFrom,
  setUpOf,
  tinyConfig,
  withTrainer,
} from "./fixture.test-helper.ts";
import { threadChoice } from "./thread-choice.ts";
import type { Saved } from "./trainer.ts";

/** All records and numbers at the end, by so many threads. */
const trained = (config: RunConfig, workers: number, saved?: Saved, steps = Number.POSITIVE_INFINITY) =>
  withTrainer(
    config,
    async (trainer) => ({ records: await recordsOf(trainer, steps), end: savedFrom(trainer) }),
    saved,
    { runtime: { ...runtime, workers } },
  );

const sharesOf = (train: object, model: object = {}, more: object = {}) => {
  return setUpOf({ ...tinyConfig(train, {}, model), ...more }).shares;
};

test.each([
  ["revealed values", {}, {}],
  [
    "next tokens, an LSTM, unequal shares",
    { loss: "next-token", batch: 5 },
    { name: "lstm", heads: undefined },
  ],
  ["packed rows", { packedLength: 160 }, { name: "transformer" }],
  ["rows of the longest example", { padding: "longest" }, { name: "rwkv7" }],
])("shares add up to the batch, and the number of threads changes no bit: %s", async (_, train, model) => {
  const config = (shares: number) =>
    JSON.parse(JSON.stringify(tinyConfig({ steps: 8, ...train, shares }, quick, model))) as RunConfig;
  const [whole, two, four] = [
    await trained(config(1), 1),
    await trained(config(2), 2),
    await trained(config(4), 3),
  ];
  for (const { records } of [two, four]) {
    for (const [i, { loss, gradientNorm, ...counted }] of records.entries()) {
      const expected = whole.records[i];
      expect(loss).toBeCloseTo(expected.loss, 5);
      expect(gradientNorm / expected.gradientNorm).toBeCloseTo(1, 4);
      expect(counted).toEqual({ ...expected, loss: undefined, gradientNorm: undefined });
    }
  }
  expect(two.records).not.toEqual(whole.records); // so the equality below says something
  expect(await trained(config(4), 1)).toEqual(four);
  expect(await trained(config(2), 1)).toEqual(two);
  const { end } = await trained(config(4), 1, undefined, 5);
  expect((await trained(config(4), 2, end)).end).toEqual(four.end);
});

test("by default 2 shares, 1 where a batch cannot be divided", () => {
  expect(sharesOf({})).toBe(2);
  expect(sharesOf({ batch: 1 })).toBe(1);
  expect(sharesOf({ padding: "bucket" })).toBe(1);
  expect(sharesOf({}, { name: "sse", balance: 0.1 })).toBe(1);
  expect(sharesOf({}, {}, { stateSupervision: { head: "linear" } })).toBe(1);
  expect(sharesOf({}, {}, { device: "webgpu" })).toBe(1);
  expect(() => sharesOf({ shares: 7 })).toThrow("train.shares: expected at most train.batch, 6, got 7");
  expect(() => sharesOf({ shares: 2 }, { name: "sse", balance: 0.1 })).toThrow(
    "train.shares: expected 1 with the penalty layers.0.balance of the model, got 2",
  );
});

test("a share whose computation fails ends the step, and its thread goes with the trainer", async () => {
  const config = tinyConfig({ shares: 2 });
  const { openWorker } = runtime;
  const opened: ReturnType<NonNullable<typeof openWorker>>[] = [];
  const failing = {
    ...runtime,
    workers: 2,
    openWorker: (from: Runtime) => {
      const worker = openWorker!(from); // the one of Node has it
      opened.push(worker);
      return worker;
    },
  };
  const trainer = withTrainer(
    config,
    async (trainer) => {
      await recordsOf(trainer, 2);
      await opened[0].close();
      return recordsOf(trainer);
    },
    undefined,
    { ...parts(config), runtime: failing },
  );
  await expect(trainer).rejects.toThrow("the worker thread of ONNX Runtime has ended");
  expect(opened).toHaveLength(1);
});

/** Which of `count` steps use worker threads, if a step takes so many milliseconds with and without them. */
function choices(count: number, cost: (step: number) => { together: number; alone: number }): boolean[] {
  const choice = threadChoice();
  return Array.from({ length: count }, (_, step) => {
    const together = choice.useWorkers();
    choice.took(cost(step)[together ? "together" : "alone"]);
    return together;
  });
}

test("threads are used while they are faster, and tried again", () => {
  const share = (chosen: boolean[]) => chosen.filter((each) => each).length / chosen.length;
  expect(share(choices(1000, () => ({ together: 6, alone: 10 })))).toBeGreaterThan(0.95);
  expect(share(choices(1000, () => ({ together: 12, alone: 10 })))).toBeLessThan(0.07);
  const busyAtFirst = choices(1000, (step) => ({ together: step < 500 ? 30 : 6, alone: 10 }));
  expect(share(busyAtFirst.slice(200, 500))).toBeLessThan(0.07);
  expect(share(busyAtFirst.slice(700))).toBeGreaterThan(0.95);
});
