/**
 * @file Averages of the weights of a run, from its checkpoints (`train.averaging`).
 *
 *     ema     the moving average in the state of the optimizer
 *     mean    w = (w_s + w_(s-c) + ... + w_(s-(n-1)c)) / n     c: checkpointEvery; s: its last multiple
 *
 * Source: mean of checkpoints: Vaswani et al. 2017, arXiv:1706.03762, section 6.1.
 */

import { fail } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type Checkpoint, checkpointAt } from "../../storage/index.ts";
import { flatten } from "../../train/optimizers/optimizer.ts";
import { initialTrained, type Setup } from "../../train/setup.ts";

type Weights = Readonly<Record<string, Float32Array>>;

/** Errors: LabError for a run without `train.averaging.ema`. */
export function movingAverage({ folder, optimizer }: Checkpoint, setup: Setup): Weights {
  const { data } =
    optimizer?.tensors.average ??
    fail(folder, "a moving average", "none", "Train it with train.averaging.ema");
  return flatten(initialTrained(setup), setup.trains).views(data as Float32Array<ArrayBuffer>); // as train.ts saves it
}

/** Errors: LabError for a run without `train.averaging.mean`, or without one of its checkpoints. */
export async function meanWeights(
  { step, model }: Checkpoint,
  folder: string,
  config: RunConfig,
): Promise<Weights> {
  const steps = averagedSteps(config, step);
  if (steps.length === 0)
    fail(folder, "checkpoints to average", `none at step ${step}`, "Train it with train.averaging.mean");
  const all = await Promise.all(steps.map((each) => checkpointAt(folder, each)));
  return Object.fromEntries(
    Object.keys(model).map((path) => {
      const tensors = all.map((each) => each.model[path].data as Float32Array); // weights are float32
      const sum = (i: number) => tensors.reduce((sum, numbers) => sum + numbers[i], 0);
      return [path, tensors[0].map((_, i) => sum(i) / tensors.length)];
    }),
  );
}

/** With `train.averaging.mean`: the steps of the averaged checkpoints, the last of them at or before a step. */
export function averagedSteps(
  { checkpointEvery, train }: Pick<RunConfig, "checkpointEvery" | "train">,
  step: number,
): number[] {
  const last = Math.floor(step / checkpointEvery);
  const count = Math.min(last, train.averaging?.mean ?? 0);
  return Array.from({ length: count }, (_, i) => (last - i) * checkpointEvery);
}
