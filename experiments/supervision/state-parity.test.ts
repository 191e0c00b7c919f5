import { expect, test } from "vitest";
import { modelNamed } from "../../src/models/index.ts";
import type { StepRecord } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { createTrainer } from "../../src/train/trainer.ts";
import type { MethodName } from "./shared.ts";
import { supervisedRun } from "./shared.ts";
import { stateParity } from "./state-parity.ts";

const setup = {
  task: { name: "parity-program", length: 4 },
  model: { name: "transformer", layers: 2, width: 32, heads: 4 },
  supervision: { layer: 0 },
  train: { steps: 80, batch: 32, learningRate: 4e-3, warmupSteps: 20 },
  programs: 8,
  every: 40,
  tested: 8,
  chance: 1 / 2,
  device: "cpu",
} as const;

async function trained(method: MethodName, steps: number): Promise<StepRecord[]> {
  const { config } = supervisedRun({ ...setup, train: { ...setup.train, steps } }, method, 0, "");
  const parts = { task: taskNamed(config.task.name), architecture: modelNamed(config.model.name) };
  const trainer = await createTrainer(config, { ...parts, runtime: nodeRuntime(), now: () => 0 });
  const records: StepRecord[] = [];
  for await (const record of trainer.steps()) records.push(record);
  await trainer.release();
  return records;
}

const late = (records: readonly StepRecord[], value: (record: StepRecord) => number) =>
  records.slice(-20).reduce((sum, record) => sum + value(record), 0) / 20;

test("after 2,560 samples the supervised Transformer knows the parity after every line; the answers of half as many alone teach nothing", async () => {
  const supervised = await trained("linear", 80);
  expect(late(supervised, ({ stateAccuracy }) => stateAccuracy!)).toBeGreaterThan(0.75); // a uniform guess: 0.5
  const alone = await trained("unsupervised", 40);
  expect(late(alone, ({ accuracy }) => accuracy)).toBeLessThan(0.65);
  expect(alone.at(-1)?.heldOut).toBeLessThan(1);
});

test("at paper scale it is the published model, curriculum and budget; every method sees the same held-out programs", () => {
  const { runs } = stateParity.plan({ scale: "paper" }, [0]);
  expect(runs).toHaveLength(9);
  for (const { config, model, setting } of runs) {
    const length = Number(setting.slice("length ".length));
    expect(config.train.steps * config.train.batch).toBe(2 ** 25);
    expect(config.task).toEqual({ name: "parity-program", length });
    expect(config.curriculum.stages).toEqual([[model === "curriculum" ? { length: [2, length] } : {}]]);
    expect(config.stateSupervision?.head).toBe(model === "linear" ? "linear" : undefined);
  }
});
