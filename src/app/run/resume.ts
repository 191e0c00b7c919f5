/** @file Resumes a run from its newest good checkpoint, or from the start if it has none. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import type { Safetensors } from "../../schemas/formats/safetensors.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import {
  type Checkpoint,
  latestCheckpoint,
  lockRun,
  readLog,
  runFiles,
  writeConfig,
} from "../../storage/index.ts";
import { Diverged } from "../../train/diverged.ts";
import { learningRateAt } from "../../train/schedule.ts";
import { makeTrainer, type Saved, type Trainer, type TrainerState } from "../../train/trainer.ts";
import { placementOf } from "../doctor/placement.ts";
import { assertSameConfig, asWritten, type WrittenConfig, withSettings, writtenConfig } from "./config.ts";
import { saveProvenance, thisSession } from "./provenance.ts";
import { type Resolved, resolveRun } from "./resolve.ts";
import { loadInitialWeights, type TrainRunOptions, type TrainRunResult, trainIn } from "./train.ts";

export async function resumeRun(folder: string, options: TrainRunOptions): Promise<TrainRunResult> {
  const { settings = [], onWarning } = options;
  const before = await writtenConfig(folder);
  const { config, after: changedAfter } = withSettings(before, settings);
  const resolved = await resolveRun(folder, config, { toTrain: true });
  for (const sentence of resolved.remarks) onWarning?.(sentence);
  const held = await lockRun(folder); // before reading anything that another process may write
  try {
    const trainer = await trainerFrom(folder, before, resolved, onWarning);
    try {
      const placement = await placementOf(resolved, options.allowFallback ?? false);
      const { step: done } = trainer.state();
      const after = changedAfter(done);
      for (const sentence of missingIn(folder, done)) onWarning?.(sentence);
      for (const sentence of newRate(before, after, done)) onWarning?.(sentence);
      const run = held.open({ dropFrom: (record) => (record as StepRecord).step > done });
      try {
        if (after.changes !== before.changes) await writeConfig(folder, asWritten(after), run.lock);
        const session = thisSession(config, done, { placement, set: settings });
        await saveProvenance(folder, resolved.own, session, run.lock);
        return await trainIn(run, config, trainer, options);
      } finally {
        run.close();
      }
    } finally {
      await trainer.release();
    }
  } finally {
    held.release();
  }
}

/**
 * A trainer of the newest intact checkpoint with a finite loss: a diverged one would diverge again.
 * Errors: LabError if none of the checkpoints is good, or one was trained by another configuration.
 */
async function trainerFrom(
  folder: string,
  written: WrittenConfig,
  resolved: Resolved,
  onWarning: TrainRunOptions["onWarning"],
): Promise<Trainer> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const checkpoint = await latestCheckpoint(folder, { before });
    if (checkpoint === undefined) {
      if (before < Number.POSITIVE_INFINITY) {
        fail(folder, "a checkpoint whose loss is finite", "none", "Train again: statelab train", "corrupt");
      }
      return makeTrainer(resolved, { ...resolved, base: await loadInitialWeights(written.config, resolved) });
    }
    for (const sentence of checkpoint.passedOver) onWarning?.(sentence);
    assertSameConfig(folder, written, checkpoint);
    const base = resolved.signal?.keepsBeginning
      ? await loadInitialWeights(written.config, resolved)
      : undefined;
    const trainer = makeTrainer(resolved, { ...resolved, base }, savedOf(checkpoint, resolved.config));
    try {
      await trainer.verify();
      return trainer;
    } catch (error) {
      await trainer.release();
      if (!(error instanceof Diverged)) throw error;
      onWarning?.(`skipped checkpoint ${checkpoint.folder}: its loss is not finite`);
      before = checkpoint.step;
    }
  }
}

/** Errors: LabError for a checkpoint of another optimizer. */
function savedOf({ folder, model, optimizer, state }: Checkpoint, { train }: RunConfig): Saved {
  const name = optimizer?.metadata.optimizer;
  if (name !== train.optimizer) {
    const file = join(folder, "optimizer.safetensors");
    fail(file, `the state of ${train.optimizer}`, name, `It was trained by ${name}`, "corrupt");
  }
  const numbers = (tensors: Safetensors["tensors"]) =>
    Object.fromEntries(Object.entries(tensors).map(([path, { data }]) => [path, data as Float32Array]));
  // Written by `save` in train.ts and verified by checksum.
  return {
    state: state as TrainerState,
    parameters: numbers(model),
    optimizer: numbers(optimizer?.tensors ?? {}),
  };
}

/** A warning if the changed configuration gives another learning rate at the next step, as after the end of a schedule. */
function newRate(
  { config: before }: WrittenConfig,
  { config: after }: WrittenConfig,
  done: number,
): string[] {
  const [was, is] = [before, after].map(({ train }) => learningRateAt(done + 1, train));
  if (was === is || before.train.learningRate !== after.train.learningRate) return [];
  return [
    `the learning rate (${after.train.schedule}) at step ${done + 1} is ${is}; it would have been ${was}`,
  ];
}

/** A warning if metrics.jsonl lacks lines of the first `done` steps, or has them out of order: they cannot be restored. */
function missingIn(folder: string, done: number): string[] {
  const path = join(folder, runFiles.metrics);
  const lines = existsSync(path) ? readLog(path, StepRecord) : [];
  const steps = lines.map(({ step }) => step).filter((step) => step <= done);
  const known = new Set(steps);
  const missing = Array.from({ length: done }, (_, i) => i + 1).filter((step) => !known.has(step));
  if (missing.length > 0) {
    return [`${path}: the lines of ${rangesOf(missing)} are missing; the training continues without them`];
  }
  const ordered = steps.every((step, i) => step === i + 1);
  return ordered
    ? []
    : [`${path}: the lines up to step ${done} are not one a step in their order; they stay so`];
}

/** `steps 3 to 7 and 9`, of at most three ranges. */
function rangesOf(steps: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const step of steps) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === step - 1) last[1] = step;
    else ranges.push([step, step]);
  }
  const names = ranges
    .slice(0, 3)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  const more = ranges.length > 3 ? ` and ${ranges.length - 3} more ranges` : "";
  return `step${steps.length === 1 ? "" : "s"} ${names.join(", ")}${more}`;
}
