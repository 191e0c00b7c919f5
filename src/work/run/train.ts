/**
 * @file One run from its configuration to its folder: train or go on, save, export. Used by `train`, `resume` and the
 * workers of `reproduce`.
 */

import { totalmem } from "node:os";
import { join } from "node:path";
import {
  describeModel,
  type Model,
  modelNamed,
  parameterCount,
  parameterShapes,
} from "../../models/index.ts";
import type { AnyMixer } from "../../models/model.ts";
import { parseWith } from "../../records/config.ts";
import { fail, LabError } from "../../records/error.ts";
import { RunConfig, type StepRecord } from "../../records/run.ts";
import type { Safetensors } from "../../records/safetensors.ts";
import {
  type Checkpoint,
  createRun,
  latestCheckpoint,
  type OpenRun,
  openRun,
  readConfig,
  runFiles,
  saveCheckpoint,
} from "../../store/index.ts";
import { codeTracesTask } from "../../tasks/code-traces.ts";
import { taskNamed } from "../../tasks/index.ts";
import type { Task } from "../../tasks/task.ts";
import type { Runtime } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { type Estimate, estimate } from "../../train/estimate.ts";
import { setUp } from "../../train/setup.ts";
import { refuseWhatCannotFit } from "../../train/sizes.ts";
import { isFinished, type Saved, type Trainer, type TrainerState, trainerOf } from "../../train/trainer.ts";
import { labVersion } from "../version.ts";
import { exportRun } from "./export.ts";
import { isModulePath, loadModule } from "./load.ts";
import { tracesIn } from "./trace-folder.ts";

async function taskOf({ task: { name, folder } }: RunConfig): Promise<Task> {
  if (isModulePath(name)) return (await loadModule("task", name)) as Task; // its shape is checked on loading
  if (name !== "code-traces") return taskNamed(name);
  if (typeof folder !== "string") fail("task.folder", "a folder of code traces", folder ?? "nothing");
  // A task takes exactly what its own schema gives.
  return codeTracesTask(tracesIn(folder)) as unknown as Task;
}

/** The task, model and device that a configuration names. A name that is a path is a file of the user's own. */
export async function partsOf(config: RunConfig) {
  const task = await taskOf(config);
  const architecture = isModulePath(config.model.name)
    ? ((await loadModule("model", config.model.name)) as AnyMixer) // likewise
    : modelNamed(config.model.name);
  const runtime: Runtime = nodeRuntime({ device: config.device, threads: config.threads });
  return { task, architecture, runtime, now: () => performance.now() };
}

export interface TrainRunOptions {
  readonly signal: AbortSignal;
  /** Called once before the first step. */
  readonly onStart?: (about: { model: Model; parameters: number; estimate: Estimate; from: number }) => void;
  readonly onStep?: (record: StepRecord) => void;
  readonly onWarning?: (sentence: string) => void;
  readonly overwrite?: boolean;
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
}

const resident = () => process.memoryUsage.rss();

/** Of the machine, or of the container that this process is in. */
function machineBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0; // 0, or more than there is, where nothing is said
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * What a configuration asks for; a mistake in it is told as one of the file `at`. With `toTrain` also whether the machine can hold
 * the training.
 */
export async function inspectConfig(config: RunConfig, at: string, { toTrain = false } = {}) {
  try {
    const parts = await partsOf(config);
    const setup = setUp(config, parts);
    const { data, model } = setup;
    if (toTrain) refuseWhatCannotFit(setup, machineBytes());
    void data.heldOut; // programs that cannot be held out are refused here
    for (const [i, change] of config.evaluate.tests.entries()) data.variant(change, `evaluate.tests.${i}`);
    return { parts, setup, data, model };
  } catch (error) {
    if (error instanceof LabError) throw new LabError(`${at}, ${error.message}`, error.kind);
    throw error;
  }
}

/** Starts a new run in `folder`. */
export async function trainNew(
  folder: string,
  config: RunConfig,
  options: TrainRunOptions,
): Promise<TrainRunResult> {
  // A configuration that cannot work is refused before anything is written.
  const { parts, setup, model } = await inspectConfig(config, options.source ?? "config", { toTrain: true });
  const trainer = trainerOf(setup, parts);
  try {
    const cost = await estimate(trainer, config, resident); // the first steps are run: now it is known that the device works
    const written = { ...config, model: { ...describeModel(model), name: config.model.name } };
    const run = await createRun(
      folder,
      { ...written, statelab: labVersion() },
      { overwrite: options.overwrite ?? false },
    );
    try {
      return await trainIn(run, config, trainer, cost, options);
    } finally {
      run.close();
    }
  } finally {
    await trainer.release();
  }
}

/** Goes on from the newest good checkpoint, or from the start where there is none. */
export async function trainOn(folder: string, options: TrainRunOptions): Promise<TrainRunResult> {
  const config = await configOf(folder);
  const checkpoint = await latestCheckpoint(folder);
  const done = checkpoint?.step ?? 0;
  for (const sentence of checkpoint?.passedOver ?? []) options.onWarning?.(sentence);
  const run = await openRun(folder, { dropFrom: (record) => (record as StepRecord).step > done });
  try {
    const { parts, setup } = await inspectConfig(config, join(folder, runFiles.config), { toTrain: true });
    const trainer = trainerOf(setup, parts, checkpoint && savedOf(checkpoint, config));
    try {
      return await trainIn(run, config, trainer, await estimate(trainer, config, resident), options);
    } finally {
      await trainer.release();
    }
  } finally {
    run.close();
  }
}

/** The configuration in a run's folder. Errors: LabError where it is missing or damaged. */
export async function configOf(folder: string): Promise<RunConfig> {
  const { statelab: _, ...config } = (await readConfig(folder)) as Record<string, unknown>;
  return parseWith(RunConfig, config, join(folder, runFiles.config));
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
  const parameters = parameterCount(parameterShapes(trainer.model));
  onStart?.({ model: trainer.model, parameters, estimate: cost, from });
  let saved = from;
  for await (const record of trainer.steps()) {
    last = record;
    run.metrics.append(record);
    onStep?.(record);
    if (record.step % config.checkpointEvery === 0) {
      await save(run, trainer);
      saved = record.step;
    }
    if (signal.aborted || record.step >= until) break;
  }
  const { step } = trainer.state();
  if (step !== saved || step === from) await save(run, trainer);
  run.metrics.sync();
  const finished = isFinished(trainer.state(), config);
  if (finished) {
    const { model, data, parameters: weights } = trainer;
    await exportRun({ model, data, tree: parameterShapes(model), weights }, run.folder);
  }
  return { step, finished, last };
}

async function save(run: OpenRun, trainer: Trainer): Promise<void> {
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
  await saveCheckpoint(run.folder, state.step, { model, optimizer: named, state });
}

/** Errors: LabError for a checkpoint of another optimizer. Version 0.1 had one and did not name it. */
function savedOf({ folder, model, optimizer, state }: Checkpoint, { train }: RunConfig): Saved {
  const name = optimizer?.metadata.optimizer ?? "adamw";
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
