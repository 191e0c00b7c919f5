/**
 * @file Trainers that take turns, a step each, so that whatever else runs on the machine falls on all of them.
 */

import { parseChoice } from "../../src/core/did-you-mean.ts";
import { modelNamed } from "../../src/models/index.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { createTrainer, type Trainer } from "../../src/train/trainer.ts";

/** Milliseconds of every step of each run after the first `warmUp`, which compile its graphs. */
export async function timesOfSteps(
  configs: readonly RunConfig[],
  warmUp: number,
  signal: AbortSignal,
): Promise<number[][]> {
  const contenders: { trainer: Trainer; next: () => Promise<unknown>; times: number[] }[] = [];
  try {
    for (const config of configs) {
      const trainer = await createTrainer(config, {
        task: taskNamed(config.task.name),
        architecture: modelNamed(config.model.name),
        runtime: nodeRuntime(),
        now: () => performance.now(),
      });
      const records = trainer.steps();
      contenders.push({ trainer, next: () => records.next(), times: [] });
    }
    const most = Math.max(...configs.map(({ train }) => train.steps));
    for (let step = 0; step < most; step++) {
      signal.throwIfAborted();
      for (const { next, times } of contenders) {
        const start = performance.now();
        await next();
        if (step >= warmUp) times.push(performance.now() - start);
      }
    }
    return contenders.map(({ times }) => times);
  } finally {
    for (const { trainer } of contenders) await trainer.release();
  }
}

export interface BenchOptions {
  /** Print one JSON document on stdout and nothing else there. */
  readonly json: boolean;
  readonly signal: AbortSignal;
  /** Selects parts of the benchmark by name; all by default. */
  readonly only?: readonly string[] | undefined;
}

/** The values named in `only`, all by default. Errors: LabError for a name that no value has. */
export function selected<T>(
  values: readonly T[],
  nameOf: (value: T) => string,
  only: readonly string[] | undefined,
): readonly T[] {
  const chosen = only?.map((name) => parseChoice("--only", name, values.map(nameOf)));
  return chosen === undefined ? values : values.filter((value) => chosen.includes(nameOf(value)));
}
