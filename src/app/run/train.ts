/**
 * @file One run from its configuration to its folder: train or go on, save, export. Used by `train`, `resume` and the
 * workers of `reproduce`.
 */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail } from "../../core/error.ts";
import { describeModel, type Model, parameterCount, parameterShapes } from "../../models/index.ts";
import { type Stalled, stalledAt } from "../../schemas/curriculum-status.ts";
import type { Safetensors } from "../../schemas/formats/safetensors.ts";
import { type RunConfig, type StepRecord, trainedBy } from "../../schemas/run-config.ts";
import {
  type Checkpoint,
  createRun,
  holdRun,
  latestCheckpoint,
  type OpenRun,
  openStream,
  Superseded,
  saveCheckpoint,
  writeConfig,
} from "../../storage/index.ts";
import { Diverged } from "../../train/diverged.ts";
import { type Estimate, estimate } from "../../train/estimate.ts";
import { learningRateAt } from "../../train/schedule.ts";
import type { Setup } from "../../train/setup.ts";
import { keepsBeginning } from "../../train/signals/index.ts";
import {
  type Best,
  isFinished,
  type Parts,
  type Saved,
  stageAt,
  type Trainer,
  type TrainerState,
  trainerOf,
} from "../../train/trainer.ts";
import { realClock } from "../async-data/poll-interval.ts";
import { type StreamSource, streamSource } from "../async-data/source.ts";
import { refuseFaulty } from "../check/check.ts";
import { trustCode } from "../own-code/trust.ts";
import { missingIn } from "./check-metrics.ts";
import { exportRun } from "./export.ts";
import { type Reached, reachedIn } from "./final-metrics.ts";
import { baseOf, type Frozen, frozenOf } from "./initial-weights.ts";
import { keepOrigin, thisSession } from "./provenance.ts";
import { inspectConfig, inspectRun } from "./resolve.ts";
import { asWritten, refuseOther, type WrittenConfig, withSettings, writtenConfig } from "./saved-config.ts";

export interface TrainRunOptions {
  readonly signal: AbortSignal;
  /** Called once before the first step. */
  readonly onStart?: (about: { model: Model; parameters: number; estimate: Estimate; from: number }) => void;
  readonly onStep?: (record: StepRecord) => void;
  readonly onWarning?: (sentence: string) => void;
  readonly overwrite?: boolean;
  /** Of a run that goes on: what is changed, `train.learningRate=0.001`, and recorded. */
  readonly settings?: readonly string[];
  /** Train a user's own files though the cheap checks of `statelab check` find something wrong. */
  readonly unchecked?: boolean;
  /** Saves after this step and ends, though more are configured. */
  readonly until?: number | undefined;
  /** The file that the configuration is from, to be named in what is wrong with it. */
  readonly source?: string;
}

export interface TrainRunResult {
  /** Steps done in all; fewer than configured after an interruption. */
  readonly step: number;
  readonly finished: boolean;
  readonly last: StepRecord | undefined;
  /** Where the curriculum has not come to its last stage. */
  readonly stalled: Stalled | undefined;
  /** With `train.evaluateEvery`: when the held-out programs were answered best. */
  readonly best: Best | undefined;
  /** What the whole training came to, those before a resume included. */
  readonly reached: Reached | undefined;
  /** With `teach.train: initial-state`: the weights that were left alone. */
  readonly frozen: Frozen | undefined;
}

const resident = () => process.memoryUsage.rss();

/** Starts a new run in `folder`. */
export async function trainNew(
  folder: string,
  config: RunConfig,
  options: TrainRunOptions,
): Promise<TrainRunResult> {
  // A configuration that cannot work is refused before anything is written.
  const source = options.source ?? "config";
  const { parts, setup, data, model } = await inspectConfig(config, source, { toTrain: true });
  trustCode(parts.own); // the user named the configuration
  if (options.unchecked !== true) {
    const { own, runtime } = parts;
    const examined = {
      model: own.model && model,
      prepared: own.task && data.stages.at(-1)?.prepared,
      runtime,
    };
    await refuseFaulty(examined, { model: config.model.name, task: config.task.name });
  }
  const trainer = trainerOf(setup, { ...parts, base: await baseOf(config, setup) });
  try {
    const cost = await estimate(trainer, config, resident); // the first steps are run: now it is known that the device works
    const written = { ...config, model: { ...describeModel(model), name: config.model.name } };
    const run = await createRun(folder, asWritten({ config: written, changes: [] }), {
      overwrite: options.overwrite ?? false,
    });
    try {
      await keepOrigin(folder, parts.own, thisSession(config, 0), run.lock);
      return await trainIn(run, written, trainer, cost, options);
    } finally {
      run.close();
    }
  } finally {
    await trainer.release();
  }
}

/** Goes on from the newest good checkpoint, or from the start where there is none. */
export async function trainOn(folder: string, options: TrainRunOptions): Promise<TrainRunResult> {
  const { settings = [], onWarning } = options;
  const before = await writtenConfig(folder);
  const { config } = withSettings(before, settings, 0);
  const { parts, setup, remarks } = await inspectRun(folder, config, { toTrain: true });
  for (const sentence of remarks) onWarning?.(sentence);
  const held = await holdRun(folder); // before anything is read that another process may be writing
  try {
    const trainer = await trainerFrom(folder, before, setup, parts, onWarning);
    try {
      const { step: done } = trainer.state();
      const after = withSettings(before, settings, done);
      for (const sentence of missingIn(folder, done)) onWarning?.(sentence);
      for (const sentence of newRate(before, after, done)) onWarning?.(sentence);
      const run = held.open({ dropFrom: (record) => (record as StepRecord).step > done });
      try {
        if (after.changes !== before.changes) await writeConfig(folder, asWritten(after), run.lock);
        await keepOrigin(folder, parts.own, thisSession(config, done, settings), run.lock);
        return await trainIn(run, config, trainer, await estimate(trainer, config, resident), options);
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
 * A trainer of the newest checkpoint that is whole and has a finite loss: one that diverged would diverge again for ever.
 * Errors: LabError where there are checkpoints and none is good, or one is of another configuration.
 */
async function trainerFrom(
  folder: string,
  written: WrittenConfig,
  setup: Setup,
  parts: Pick<Parts, "runtime" | "now">,
  onWarning: TrainRunOptions["onWarning"],
): Promise<Trainer> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const checkpoint = await latestCheckpoint(folder, { before });
    if (checkpoint === undefined) {
      if (before < Number.POSITIVE_INFINITY) {
        fail(folder, "a checkpoint whose loss is finite", "none", `Train it anew: statelab train`, "corrupt");
      }
      return trainerOf(setup, { ...parts, base: await baseOf(written.config, setup) });
    }
    for (const sentence of checkpoint.passedOver) onWarning?.(sentence);
    refuseOther(folder, written, checkpoint);
    const base = keepsBeginning(setup.config) ? await baseOf(written.config, setup) : undefined;
    const trainer = trainerOf(setup, { ...parts, base }, savedOf(checkpoint, setup.config));
    try {
      await trainer.verify();
      return trainer;
    } catch (error) {
      await trainer.release();
      if (!(error instanceof Diverged)) throw error;
      onWarning?.(`${checkpoint.folder} is passed over: its loss is not finite`);
      before = checkpoint.step;
    }
  }
}

/** Says where the learning rate goes on otherwise than it was: a schedule that depends on the number of steps has ended. */
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

function frozenWords({ numbers, trained, sha256 }: Frozen): string {
  const [some, all] = [trained, trained + numbers].map((count) => count.toLocaleString("en"));
  return `${some} of ${all} numbers are trained; the others stay as they are, SHA-256 ${sha256}`;
}

async function trainIn(
  run: OpenRun,
  config: RunConfig,
  trainer: Trainer,
  cost: Estimate,
  { signal, onStart, onStep, onWarning, until = Number.POSITIVE_INFINITY }: TrainRunOptions,
): Promise<TrainRunResult> {
  let last: StepRecord | undefined;
  const from = trainer.state().step;
  for (const note of trainer.notes) onWarning?.(note);
  const frozen = frozenOf(trainer.parameters, trainer.frozen);
  if (frozen !== undefined) onWarning?.(frozenWords(frozen));
  const parameters = parameterCount(parameterShapes(trainer.model));
  onStart?.({ model: trainer.model, parameters, estimate: cost, from });
  let saved = from;
  const source = await sourceOf(run, config, trainer, signal, onWarning);
  const keep = async (step: number) => {
    await save(run, trainer, config);
    await source?.saved(step);
    saved = step;
  };
  try {
    for await (const record of trainer.steps(source)) {
      last = record;
      run.metrics.append(record);
      onStep?.(record);
      const isBest = trainer.state().best?.step === record.step;
      const isBudget = config.train.budgets?.includes(record.step);
      if (isBest || isBudget || record.step % config.checkpointEvery === 0) await keep(record.step);
      if (signal.aborted || record.step >= until) break;
    }
    if (!isDeepStrictEqual(frozenOf(trainer.parameters, trainer.frozen), frozen))
      throw new Error("weights that are not trained have changed");
    const { step } = trainer.state();
    if (step !== saved || step === from) await keep(step);
  } catch (error) {
    // Who makes blocks for it would wait for ever; what went wrong first is the one to tell.
    if (!(error instanceof Superseded)) await source?.close(true).catch(() => {});
    throw error;
  }
  const { step } = trainer.state();
  run.metrics.sync();
  const finished = isFinished(trainer.state(), config);
  await source?.close(finished || step >= until);
  if (finished) {
    const { model, data, parameters: weights } = trainer;
    await exportRun({ model, data, tree: parameterShapes(model), weights }, run.folder, run.lock);
  }
  const stalled = step === 0 ? undefined : stalledAt(config, stageAt(trainer.state().stageStarts, step));
  const reached = reachedIn(run.folder, config);
  return { step, finished, last, stalled, best: trainer.state().best, reached, frozen };
}

/** Where its examples come from, with `teach.stream`. */
async function sourceOf(
  { folder, lock }: OpenRun,
  config: RunConfig,
  { shapes, parameters, state }: Trainer,
  signal: AbortSignal,
  onWarning: TrainRunOptions["onWarning"],
): Promise<StreamSource | undefined> {
  if (config.teach?.stream === undefined) return undefined;
  const stream = await openStream(folder);
  const source = streamSource(stream, { config, folder, lock, shapes, clock: realClock, signal, onWarning });
  await source.begin(state().step, parameters);
  return source;
}

async function save(run: OpenRun, trainer: Trainer, config: RunConfig): Promise<void> {
  await trainer.verify(); // a checkpoint that diverged is never the one to go on from
  // A checkpoint that outlives a power failure must not stand above lines of the log that do not.
  run.metrics.sync();
  const { parameters, shapes, optimizer } = trainer;
  const state = trainer.state();
  const model = Object.fromEntries(
    Object.entries(parameters).map(([path, data]) => [
      path,
      { dtype: "F32" as const, shape: shapes[path], data },
    ]),
  );
  const remembered = Object.fromEntries(
    Object.entries(optimizer.state).map(([name, data]) => [
      name,
      { dtype: "F32" as const, shape: [data.length], data },
    ]),
  );
  const named = { tensors: remembered, metadata: { optimizer: optimizer.name } };
  const keep = [...(config.train.budgets ?? []), ...(state.best === undefined ? [] : [state.best.step])];
  const content = { model, optimizer: named, state, config: trainedBy(config), keep };
  await saveCheckpoint(run.folder, state.step, content, run.lock);
}

/** Errors: LabError for a checkpoint of another optimizer. */
function savedOf({ folder, model, optimizer, state }: Checkpoint, { train }: RunConfig): Saved {
  const name = optimizer?.metadata.optimizer;
  if (name !== train.optimizer) {
    const file = join(folder, "optimizer.safetensors");
    fail(file, `what ${train.optimizer} remembers`, name, `It was trained by ${name}`, "corrupt");
  }
  const numbers = (tensors: Safetensors["tensors"]) =>
    Object.fromEntries(Object.entries(tensors).map(([path, { data }]) => [path, data as Float32Array]));
  // Written by `save`, and its bytes were checked against their checksum.
  return {
    state: state as TrainerState,
    parameters: numbers(model),
    optimizer: numbers(optimizer?.tensors ?? {}),
  };
}
