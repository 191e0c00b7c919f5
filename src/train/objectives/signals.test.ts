import { expect, test } from "vitest";
import { RunConfig } from "../../schemas/run-config.ts";
import { expectResumed, recordsOf, savedFrom, whole, withTrainer } from "../fixture.test-helper.ts";
import { namesWith } from "./index.ts";

const config = (signal: unknown, change: { task?: object; train?: object } = {}) =>
  RunConfig.parse({
    seed: 3,
    task: { name: "pfsa", commands: 4, spacing: 2, probability: 0.25, ...change.task },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2 },
    train: { steps: 6, batch: 4, warmupSteps: 2, ...change.train },
    ...(signal !== undefined && { objective: signal }),
  });

test.each(["revealed-values", "next-token"])("%s is the loss of that name, step by step", async (name) => {
  const [signalled, named] = [
    await whole(config(name)),
    await whole(config(undefined, { train: { loss: name } })),
  ];
  for (const [i, { loss, gradientNorm }] of signalled.records.entries()) {
    expect(loss).toBeCloseTo(named.records[i].loss, 5);
    expect(gradientNorm).toBeCloseTo(named.records[i].gradientNorm, 4);
  }
  expect(signalled.records[5].loss).not.toBe(signalled.records[0].loss);
});

test("dense is a linear state head on the true states", async () => {
  const headed = RunConfig.parse({ ...config(undefined), stateSupervision: {} });
  expect((await whole(config("dense"))).end).toEqual((await whole(headed)).end);
});

test.each([...namesWith("signal"), { name: "noisy", programs: 3 }, { name: "reward", credit: "each" }])(
  "%j goes on from a copy as if nothing had happened, bit for bit",
  async (signal) => {
    const through = await whole(config(signal));
    expect(through.records).toHaveLength(6);
    await expectResumed(config(signal), through);
  },
);

test("a corpus of so many programs is seen again and again, each with the same prints", async () => {
  const trained = (programs: number | undefined) =>
    withTrainer(config({ name: "noisy", programs }), async (trainer) => {
      await recordsOf(trainer);
      return trainer.trained();
    });
  expect((await trained(3)).size).toBe(3);
  expect((await trained(undefined)).size).toBe(24);
});

test("by reward alone a model learns to say what is asked", async () => {
  const task = { name: "group-words", group: "Z_2", length: 1 };
  const given = config(
    { name: "reward", samples: 8 },
    { task, train: { steps: 60, batch: 16, learningRate: 0.01 } },
  );
  const plain = RunConfig.parse({ ...given, task });
  const records = await withTrainer(plain, (trainer) => recordsOf(trainer));
  expect(records[0].reward).toBeLessThan(0.6);
  expect(records[59].reward).toBeGreaterThan(0.9);
  expect(records[59].entropy).toBeLessThan(records[0].entropy!);
});

test("a model that reads hints teaches itself without them; another beginning is refused on resume", async () => {
  const task = { name: "repl", variables: 2, commands: 2, spacing: 1 };
  const given = (signal: unknown, steps: number) =>
    RunConfig.parse({ ...config(signal), task, train: { steps, batch: 16, learningRate: 0.005 } });
  const base = await withTrainer(given({ name: "revealed-values", hinted: true }, 40), async (trainer) => {
    await recordsOf(trainer);
    return savedFrom(trainer).parameters;
  });
  const other = { base };
  await withTrainer(
    given("hint", 60),
    async (trainer) => {
      const records = await recordsOf(trainer);
      expect(records[0].accuracy).toBeLessThan(0.75);
      const last = records.slice(-10);
      expect(last.reduce((sum, { accuracy }) => sum + accuracy, 0) / 10).toBeGreaterThan(0.9);
      expect(last[9].divergence).toBeLessThan(records[0].divergence!);
      const saved = savedFrom(trainer);
      await expect(whole(given("hint", 60), saved)).rejects.toThrow(
        'init.from: expected the weights that the run began with, got "others"',
      );
    },
    undefined,
    other,
  );
});

test.each([
  ["revealed-value", {}, /^objective: .*"revealed-value"\. Did you mean revealed-values\?$/],
  [{ name: "reward", samples: 1 }, {}, "objective: expected samples to be at least 2, got 1"],
  ["next-token", { task: { name: "parity" } }, 'expected "revealed-values" for a task that asks for states'],
  ["reward", { train: { padding: "bucket" } }, '"max" or "longest" with the objective signal reward'],
] as const)("%j is refused in one sentence", async (signal, change, sentence) => {
  const { name } = { name: "pfsa", ...("task" in change ? change.task : {}) };
  const given = {
    ...config(signal, "train" in change ? change : {}),
    ...(name === "parity" && { task: { name } }),
  };
  await expect(whole(RunConfig.parse(given))).rejects.toThrow(sentence);
});
