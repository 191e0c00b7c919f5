/** @file A trained model as it lies in a run's folder: opened, and asked about programs it has not seen. */

import { fail } from "../../core/error.ts";
import { turnsOf } from "../../core/rotations.ts";
import { shellWord } from "../../core/shell-word.ts";
import { type Model, type ModelShapes, parameterShapes } from "../../models/index.ts";
import { type Stalled, stalledAt, stalledWords } from "../../schemas/curriculum-status.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { checkpointAt, latestCheckpoint } from "../../storage/index.ts";
import { maximumLength } from "../../tasks/batch.ts";
import { exampleStream } from "../../tasks/stream.ts";
import type { Prepared, Task } from "../../tasks/task.ts";
import type { Runtime } from "../../tensor/index.ts";
import { findingTrained, type TrainingData } from "../../train/data.ts";
import { unusable } from "../../train/diverged.ts";
import {
  type Evaluation,
  evaluate,
  notFiniteLogits,
  referencesInTurns,
  surprisesInTurns,
  type Test,
} from "../../train/evaluate.ts";
import { refuseLargeReading } from "../../train/memory-check.ts";
import { stageAt, type TrainerState } from "../../train/trainer.ts";
import { inspectRun, machineBytes } from "./resolve.ts";
import { configOf } from "./saved-config.ts";

export interface TrainedRun {
  readonly config: RunConfig;
  readonly task: Task;
  readonly model: Model;
  readonly data: TrainingData;
  /** Steps that the weights were trained for. */
  readonly step: number;
  /** What is to be told: newer checkpoints that are damaged, own files that were edited since; one sentence each. */
  readonly remarks: readonly string[];
  /** Whether its own files are those that the run has kept, or it has none. */
  readonly pinned: boolean;
  /** With `train.untilPerfect`: the step after which every held-out answer was right, if there was one. */
  readonly perfectAt: number | undefined;
  /** Where its curriculum stopped short of its last stage. */
  readonly stalled: Stalled | undefined;
  readonly tree: ModelShapes;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly runtime: Runtime;
  /** Finds the content hashes of the programs that it was trained on, or chosen by: long work, done once. */
  readonly trained: () => Generator<void, ReadonlySet<number>>;
}

export interface OpenOptions {
  /** Which checkpoint; the newest good one where it is undefined. */
  readonly step?: number | "best" | undefined;
  /** Own files as they are on the disk now, in place of those that the run has kept. */
  readonly asEdited?: boolean | undefined;
}

/**
 * Opens the newest good checkpoint of a run, or that of one `step`. Errors: LabError where the folder holds no run, no
 * good checkpoint or none of that step.
 */
export async function openTrained(folder: string, { step, asEdited }: OpenOptions = {}): Promise<TrainedRun> {
  const config = await configOf(folder);
  const chosen = step === "best" ? await bestStep(folder) : step;
  const checkpoint =
    (await (chosen === undefined ? latestCheckpoint(folder) : checkpointAt(folder, chosen))) ??
    fail(folder, "a run with a checkpoint", "none yet", `Train it by statelab resume ${shellWord(folder)}`);
  const own = { asEdited, weights: checkpoint.model };
  const { parts, data, model, remarks, pinned } = await inspectRun(folder, config, own);
  const { task, runtime } = parts;
  const weights = Object.fromEntries(
    Object.entries(checkpoint.model).map(([path, { data: numbers }]) => [path, numbers as Float32Array]),
  );
  for (const [path, numbers] of Object.entries(weights)) {
    const bad = unusable(numbers);
    if (bad !== undefined) notFiniteLogits(`${checkpoint.folder}, ${path}`, bad);
  }
  const { step: done, stageStarts, perfectAt, windows = [] } = checkpoint.state as TrainerState; // written by train-run.ts, checksummed
  data.shares.load(windows);
  let trained: ReadonlySet<number> | undefined;
  const stalled = done === 0 ? undefined : stalledAt(config, stageAt(stageStarts, done));
  const tree = parameterShapes(model);
  return {
    ...{ config, task, model, data, pinned, step: done, perfectAt, stalled, tree, weights, runtime },
    remarks: [
      ...checkpoint.passedOver,
      ...remarks,
      ...(stalled === undefined ? [] : [`${folder}: ${stalledWords(stalled)}`]),
    ],
    *trained() {
      if (trained === undefined) {
        const seen = yield* findingTrained(data, config.train.batch, done, (at) => stageAt(stageStarts, at));
        // By what was asked meanwhile a checkpoint was chosen: it is no test of it any more.
        if (config.train.evaluateEvery !== undefined)
          for (const hash of data.heldOut?.hashes ?? []) seen.add(hash);
        trained = seen;
      }
      return trained;
    },
  };
}

/** Errors: LabError for a run that asked nothing while it was trained. */
async function bestStep(folder: string): Promise<number> {
  const { best } = ((await latestCheckpoint(folder))?.state ?? {}) as Partial<TrainerState>; // as below
  return (
    best?.step ?? fail(folder, "a run with a best checkpoint", "none", "Train it with train.evaluateEvery")
  );
}

/** Programs that are read at once. */
const ROWS = 25;

export interface Asked {
  readonly evaluation: Evaluation;
  /** The task's computed references on the same programs, by name. */
  readonly references: Readonly<Record<string, Evaluation>>;
  /** What the exact filter pays at each reveal of each of these programs, where chance that nobody sees moves the state. */
  readonly exactSurprises?: readonly (readonly number[])[];
}

/** Programs of the task with changed parameters that the run was not trained on. */
export function testAbout(
  run: TrainedRun,
  change: Readonly<Record<string, unknown>>,
  programs: number,
  signal?: AbortSignal,
): Test {
  return {
    prepared: run.data.variant(change, "test"),
    tokenizer: run.data.tokenizer,
    // A stream for each kind of test, so that asking one more changes no other.
    stream: exampleStream(run.config.seed, `test ${JSON.stringify(change)}`),
    programs,
    exclude: run.trained,
    pause: turnsOf(signal),
  };
}

/**
 * Asks about programs of the task with changed parameters. The references are those of the hardest variant that was
 * trained (the REPL's window is twice the widest *trained* spacing, whatever is asked), unless others are given.
 */
export async function askAbout(
  run: TrainedRun,
  change: Readonly<Record<string, unknown>>,
  programs: number,
  { references, signal }: { references?: Prepared["references"]; signal?: AbortSignal } = {},
): Promise<Asked> {
  const test = testAbout(run, change, programs, signal);
  const hardest = run.config.curriculum.stages.at(-1)?.at(-1) ?? {};
  const trained = run.data.variant(hardest, "curriculum");
  const prepared = { ...test.prepared, references: references ?? trained.references ?? {} };
  const asked = { ...test, prepared };
  refuseLargeReading(run.model, ROWS, maximumLength(prepared, run.data.tokenizer), machineBytes());
  const evaluation = await evaluate(
    run.model,
    { tree: run.tree, data: run.weights },
    asked,
    run.runtime,
    ROWS,
  );
  const exact = await surprisesInTurns(asked);
  return {
    evaluation,
    references: await referencesInTurns(asked),
    ...(exact !== undefined && { exactSurprises: exact }),
  };
}
