/**
 * @file Trains a new run: resolve the configuration, create the folder, train, save checkpoints, export. `resume.ts` continues
 * a run with the same loop.
 *
 * Also the weights that a run starts with (`init.from`), and the SHA-256 of weights that it does not train
 * (`train.trainable: initial-state`), which shows that they did not change:
 *
 *     sha256 of   path \0 little-endian float32 ...   for each such tensor, sorted by path
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { describeModel, type Model, parameterCount, parameterShapes } from "../../models/index.ts";
import { type Stalled, stalledAt } from "../../schemas/convergence.ts";
import {
  type AsyncDataConfig,
  type RunConfig,
  type StepRecord,
  trainedBy,
} from "../../schemas/run-config.ts";
import {
  createRun,
  LockLostError,
  latestCheckpoint,
  type OpenRun,
  openStream,
  runFiles,
  saveCheckpoint,
} from "../../storage/index.ts";
import { toHuggingFace } from "../../tasks/tokenizer.ts";
import { Diverged } from "../../train/diverged.ts";
import type { Setup } from "../../train/setup.ts";
import {
  type Best,
  type Estimate,
  estimate,
  isFinished,
  makeTrainer,
  stageAt,
  type Trainer,
  timedSteps,
} from "../../train/trainer.ts";
import { realClock, type StreamSource, streamSource } from "../async-data/source.ts";
import { refuseFaulty } from "../check/check.ts";
import { placementOf } from "../doctor/placement.ts";
import { trustCode } from "../own-code/trust.ts";
import { averagedSteps } from "./averages.ts";
import { asWritten, configOf, firstDifference } from "./config.ts";
import { type EventLog, openEventLog } from "./event-log.ts";
import { exportRun } from "./export.ts";
import { saveProvenance, thisSession } from "./provenance.ts";
import { resolve } from "./resolve.ts";
import { type Reached, reachedIn } from "./results.ts";

export interface TrainRunOptions {
  readonly signal: AbortSignal;
  /** Called once, after the first steps, whose time the estimate is made from. */
  readonly onStart?: (about: { model: Model; parameters: number; estimate: Estimate; from: number }) => void;
  readonly onStep?: (record: StepRecord) => void;
  readonly onWarning?: (sentence: string) => void;
  readonly overwrite?: boolean;
  /** Changes to a resumed run, such as `train.learningRate=0.001`; they are recorded. */
  readonly settings?: readonly string[];
  /** Train own files even if `statelab check` finds faults. */
  readonly unchecked?: boolean;
  /** Train on WebGPU even if the CPU computes some of a step. */
  readonly allowFallback?: boolean;
  /** Write an event file of TensorBoard, too. */
  readonly log?: "tensorboard" | undefined;
  /** Save and stop after this step. */
  readonly until?: number | undefined;
  /** The file of the configuration, named in error messages. */
  readonly source?: string;
}

export interface TrainRunResult {
  /** Total steps done; fewer than configured after an interruption. */
  readonly step: number;
  readonly finished: boolean;
  readonly last: StepRecord | undefined;
  /** Set if the curriculum did not reach its last stage. */
  readonly stalled: Stalled | undefined;
  /** With `train.evaluateEvery`: the step with the best held-out accuracy. */
  readonly best: Best | undefined;
  /** Final metrics of the whole training, including steps before a resume. */
  readonly reached: Reached | undefined;
  /** With `train.trainable: initial-state`: the weights that are not trained. */
  readonly frozen: Frozen | undefined;
}

/** Starts a new run in `folder`. */
export async function trainRun(
  folder: string,
  config: RunConfig,
  options: TrainRunOptions,
): Promise<TrainRunResult> {
  // An invalid configuration is refused before anything is written.
  const resolved = await resolve(config, options.source ?? "config", { toTrain: true });
  const { data, model, own, runtime } = resolved;
  trustCode(own); // the user named the configuration
  if (options.unchecked !== true) {
    const examined = {
      model: own.model && model,
      prepared: own.task && data.stages.at(-1)?.prepared,
      runtime,
    };
    await refuseFaulty(examined, { model: config.model.name, task: config.task.name });
  }
  const trainer = makeTrainer(resolved, { ...resolved, base: await loadInitialWeights(config, resolved) });
  try {
    const placement = await placementOf(resolved, options.allowFallback ?? false);
    await trainer.tryStep(); // a device that fails is noticed before anything is written
    const run = await createRun(folder, asWritten({ config: resolved.written, changes: [] }), {
      overwrite: options.overwrite ?? false,
    });
    try {
      await saveProvenance(folder, own, thisSession(config, 0, { placement }), run.lock);
      return await trainIn(run, resolved.written, trainer, options);
    } finally {
      run.close();
    }
  } finally {
    await trainer.release();
  }
}

/** Trains until the end, an abort or `until`, saving checkpoints; exports a finished run. */
export async function trainIn(
  run: OpenRun,
  config: RunConfig,
  trainer: Trainer,
  { signal, onStart, onStep, onWarning, log, until = Number.POSITIVE_INFINITY }: TrainRunOptions,
): Promise<TrainRunResult> {
  let last: StepRecord | undefined;
  const from = trainer.state().step;
  for (const note of trainer.notes) onWarning?.(note);
  const frozen = frozenOf(trainer.parameters, trainer.frozen);
  if (frozen !== undefined) onWarning?.(frozenWords(frozen));
  const seconds: number[] = [];
  const started = () => {
    const parameters = parameterCount(parameterShapes(trainer.model));
    const cost = estimate(trainer, config, seconds, process.memoryUsage.rss());
    onStart?.({ model: trainer.model, parameters, estimate: cost, from });
  };
  const { evaluateEvery, stopWhenSolved } = config.train;
  let saved = from;
  const source = await sourceOf(run, config.data?.async, trainer, signal, onWarning);
  const keep = async (step: number) => {
    await save(run, trainer, config);
    await source?.saved(step);
    saved = step;
  };
  let events: EventLog | undefined;
  try {
    events = log && (await openEventLog(run, config));
    for await (const record of trainer.steps(source)) {
      last = record;
      // Readers such as polars take the columns from the first lines.
      const isFirst = record.step === 1 && (evaluateEvery ?? stopWhenSolved) !== undefined;
      run.metrics.append(isFirst ? { ...record, heldOut: record.heldOut ?? null } : record);
      events?.append(record);
      if (seconds.length < timedSteps && seconds.push(record.seconds) === timedSteps) started();
      onStep?.(record);
      const isBest = trainer.state().best?.step === record.step;
      const isBudget = config.train.decayCheckpoints?.includes(record.step);
      if (isBest || isBudget || record.step % config.checkpointEvery === 0) await keep(record.step);
      if (signal.aborted || record.step >= until) break;
    }
    if (!isDeepStrictEqual(frozenOf(trainer.parameters, trainer.frozen), frozen))
      throw new Error("weights that are not trained have changed");
    if (seconds.length > 0 && seconds.length < timedSteps) started();
    const { step } = trainer.state();
    if (step !== saved || step === from) await keep(step);
  } catch (error) {
    // Data workers would wait forever. An error of closing must not hide the first one.
    if (!(error instanceof LockLostError)) await source?.close(true).catch(() => {});
    if (error instanceof Diverged && config.train.schedule === "range") {
      run.metrics.sync();
      const rate = reachedIn(run.folder, config)?.range?.fastest?.toPrecision(2);
      if (rate !== undefined)
        onWarning?.(`learning rates: the loss fell fastest at ${rate} before the training diverged`);
    }
    throw error;
  } finally {
    events?.close();
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

/** With `data.async`: the examples that data workers make. */
async function sourceOf(
  { folder, lock }: OpenRun,
  bounds: AsyncDataConfig | undefined,
  { shapes, parameters, state, asksModel }: Trainer,
  signal: AbortSignal,
  onWarning: TrainRunOptions["onWarning"],
): Promise<StreamSource | undefined> {
  if (bounds === undefined) return undefined;
  const source = streamSource(await openStream(folder), {
    ...{ ahead: bounds.prefetch, asksModel, folder, lock, shapes, clock: realClock, signal, onWarning },
  });
  await source.begin(state().step, parameters);
  return source;
}

async function save(run: OpenRun, trainer: Trainer, config: RunConfig): Promise<void> {
  await trainer.verify(); // a diverged checkpoint must never be resumed
  // The log must reach the disk before the checkpoint: after a power failure a checkpoint needs every line before it.
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
  const keep = [
    ...(config.train.decayCheckpoints ?? []),
    ...averagedSteps(config, state.step),
    ...(state.best === undefined ? [] : [state.best.step]),
  ];
  const content = { model, optimizer: named, state, config: trainedBy(config), keep };
  await saveCheckpoint(run.folder, state.step, content, run.lock);
}

type Weights = Readonly<Record<string, Float32Array>>;

/**
 * The newest weights of the run named by `init.from`; undefined if none is named. No code of that run is executed. Errors:
 * LabError for a run that is not finished, or has another model or vocabulary.
 */
export async function loadInitialWeights(
  config: Pick<RunConfig, "init" | "train" | "model">,
  { model, data }: Setup,
): Promise<Weights | undefined> {
  const from = config.init?.from;
  if (from === undefined) {
    if (config.train.trainable === "initial-state")
      fail("init.from", "the run with the frozen weights", "none");
    return undefined;
  }
  const ours: Record<string, unknown> = { ...describeModel(model), name: config.model.name };
  const theirs = (await configOf(from)).model;
  if (theirs.initialState === undefined) delete ours.initialState; // it may be what is trained now
  const different = firstDifference(theirs, ours, "model");
  if (different !== undefined)
    fail(
      `init.from, ${from}`,
      `${different.key} ${JSON.stringify(different.got) ?? "absent"}`,
      different.wanted ?? "nothing",
    );
  const tokenizer = await readFile(join(from, runFiles.tokenizer), "utf8").catch(() =>
    fail(
      "init.from",
      "the folder of a finished run",
      from,
      `Finish it: statelab train --resume ${shellWord(from)}`,
    ),
  );
  if (!isDeepStrictEqual(JSON.parse(tokenizer), JSON.parse(JSON.stringify(toHuggingFace(data.tokenizer)))))
    fail("init.from", "a run with the same vocabulary", from, "Use the same task and tokenizer");
  const checkpoint = (await latestCheckpoint(from)) ?? fail("init.from", "a run with a checkpoint", from);
  return Object.fromEntries(
    Object.entries(checkpoint.model).map(([path, tensor]) => [path, tensor.data as Float32Array]), // weights are float32
  );
}

/** SHA-256 of the tensors at some paths, in hexadecimal. */
export function weightsHash(weights: Weights, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    const { buffer, byteOffset, byteLength } = weights[path];
    hash.update(`${path}\0`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest("hex");
}

interface Frozen {
  /** How many weights are not trained, and how many are. */
  readonly numbers: number;
  readonly trained: number;
  readonly sha256: string;
}

/** The weights at the frozen paths; undefined if there are none. */
function frozenOf(parameters: Weights, paths: readonly string[]): Frozen | undefined {
  if (paths.length === 0) return undefined;
  const count = (of: readonly string[]) => of.reduce((sum, path) => sum + parameters[path].length, 0);
  const numbers = count(paths);
  return {
    numbers,
    trained: count(Object.keys(parameters)) - numbers,
    sha256: weightsHash(parameters, paths),
  };
}

function frozenWords({ numbers, trained, sha256 }: Frozen): string {
  const [some, all] = [trained, trained + numbers].map((count) => count.toLocaleString("en"));
  return `${some} of ${all} parameters are trained; the others are frozen, SHA-256 ${sha256}`;
}
