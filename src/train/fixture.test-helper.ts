/** @file A run so small that a step takes milliseconds, and a clock that does not depend on the machine. */

import { expect } from "vitest";
import { modelNamed } from "../models/index.ts";
import { RunConfig, type StepRecord } from "../schemas/run-config.ts";
import { taskNamed } from "../tasks/index.ts";
import type { Task } from "../tasks/task.ts";
import type { Runtime } from "../tensor/index.ts";
import type { DeviceArray } from "../tensor/session.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { setUp } from "./setup.ts";
import { createTrainer, type Parts, type Saved, type Trainer } from "./trainer.ts";

export const runtime = nodeRuntime();

/** A device whose memory is the host's: its arrays are ONNX Runtime's own. */
export const placed: DeviceArray[] = [];
export const onDevice: Runtime = {
  ...runtime,
  transfers: { bytes: 0 },
  place(data, shape) {
    const tensor = new runtime.ort.Tensor("float32", data.slice(), shape);
    const array = {
      tensor,
      read: async (into: Float32Array) => into.set(tensor.data as Float32Array), // its type is given above
      release: () => placed.splice(placed.indexOf(array), 1),
    };
    placed.push(array);
    return array;
  },
};
/** Two variables, four swaps; stages of spacing 1, {1, 2} and {1, 2, 4}. */
export function tinyConfig(train: object = {}, curriculum: object = {}, model: object = {}): RunConfig {
  return RunConfig.parse({
    seed: 3,
    task: { name: "repl", variables: 2, commands: 4 },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, ...model },
    train: { steps: 12, batch: 6, warmupSteps: 3, ...train },
    curriculum: {
      stages: [
        [{ spacing: 1 }],
        [{ spacing: 1 }, { spacing: 2 }],
        [{ spacing: 1 }, { spacing: 2 }, { spacing: 4 }],
      ],
      ...curriculum,
    },
  });
}

/** Moves on every few steps, whatever was learned. */
export const quick = { threshold: 0, averagingWindow: 30 };

export function parts(config: RunConfig, other: Partial<Parts> = {}): Parts {
  let time = 0;
  const now = () => {
    time += 5;
    return time;
  };
  const architecture = other.architecture ?? modelNamed(config.model.name);
  const task = other.task ?? taskNamed(config.task.name);
  return { runtime, now, ...other, architecture, task };
}

/** The set-up of a run of the lab's own task and model. */
export const setUpOf = (config: RunConfig) =>
  setUp(config, { task: taskNamed(config.task.name), architecture: modelNamed(config.model.name) });

export function repl(): Task {
  return taskNamed("repl");
}

/** Runs a trainer, hands it to `use`, releases it. */
export async function withTrainer<T>(
  config: RunConfig,
  use: (trainer: Trainer) => Promise<T>,
  saved?: Saved,
  other: Partial<Parts> = {},
): Promise<T> {
  const trainer = await createTrainer(config, parts(config, other), saved);
  try {
    return await use(trainer);
  } finally {
    await trainer.release();
  }
}

/** All that a checkpoint holds, copied. */
export function savedFrom(trainer: Trainer): Saved {
  const { parameters, optimizer } = trainer;
  return structuredClone({
    state: trainer.state(),
    parameters: Object.fromEntries(Object.entries(parameters).map(([path, data]) => [path, data.slice()])),
    optimizer: optimizer.state,
  });
}

export async function recordsOf(trainer: Trainer, count = Number.POSITIVE_INFINITY): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  for await (const record of trainer.steps()) {
    records.push(record);
    if (records.length === count) break;
  }
  return records;
}

/** All records and all numbers at the end. */
export function whole(config: RunConfig, saved?: Saved) {
  return withTrainer(
    config,
    async (trainer) => ({ records: await recordsOf(trainer), end: savedFrom(trainer) }),
    saved,
  );
}

/** That the run which is saved after `done` steps, its state as JSON, and resumed is the one that was not, bit for bit. */
export async function expectResumed(
  config: RunConfig,
  { records, end }: Awaited<ReturnType<typeof whole>>,
  done = 3,
): Promise<void> {
  const saved = await withTrainer(config, async (trainer) => {
    if (done > 0) await recordsOf(trainer, done);
    return savedFrom(trainer);
  });
  const state = JSON.parse(JSON.stringify(saved.state));
  expect(await whole(config, { ...saved, state }), `from step ${done}`).toEqual({
    records: records.slice(done),
    end,
  });
}
