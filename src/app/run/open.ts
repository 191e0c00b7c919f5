/** @file Opens the trained model of a run folder and evaluates it on programs that it was not trained on. */

import { fail } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { exampleStream } from "../../core/rng.ts";
import { cooperativeTurns } from "../../core/rotations.ts";
import { type Model, type ModelShapes, parameterShapes } from "../../models/index.ts";
import { type Stalled, stalledAt, stalledWords } from "../../schemas/convergence.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { checkpointAt, latestCheckpoint } from "../../storage/index.ts";
import { maximumLength } from "../../tasks/batch.ts";
import type { Prepared, Task } from "../../tasks/task.ts";
import type { Runtime } from "../../tensor/index.ts";
import { type DataPlan, findingTrained, trainingData } from "../../train/data.ts";
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
import { meanWeights, movingAverage } from "./averages.ts";
import { configOf } from "./config.ts";
import { machineBytes, resolveRun } from "./resolve.ts";

export interface TrainedRun {
  readonly config: RunConfig;
  readonly task: Task;
  readonly model: Model;
  readonly data: DataPlan;
  /** Training steps of the weights. */
  readonly step: number;
  /** Warnings, one sentence each: damaged newer checkpoints, own files edited since. */
  readonly remarks: readonly string[];
  /** Whether all own files are copies kept by the run. */
  readonly pinned: boolean;
  /** With `train.stopWhenSolved`: the first step after which every held-out answer was right. */
  readonly perfectAt: number | undefined;
  /** Set if the curriculum did not reach its last stage. */
  readonly stalled: Stalled | undefined;
  readonly tree: ModelShapes;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly runtime: Runtime;
  /** Content hashes of the programs that it was trained on or selected by: a long computation, cached. */
  readonly trained: () => Generator<void, ReadonlySet<number>>;
}

/** The weights of a step, of the best step, or an average up to the newest checkpoint (`train.averaging`). */
export type Chosen = number | "best" | "ema" | "mean";

export const isAverage = (chosen: Chosen | undefined): chosen is "ema" | "mean" =>
  chosen === "ema" || chosen === "mean";

export interface OpenOptions {
  /** By default the newest good checkpoint. */
  readonly step?: Chosen | undefined;
  /** Use the own files on the disk instead of the kept copies. */
  readonly useCurrentCode?: boolean | undefined;
  /** By default that of the training. */
  readonly device?: RunConfig["device"] | undefined;
}

/**
 * Opens the newest good checkpoint of a run, or that of `step`. Errors: LabError if the folder has no run, no good checkpoint
 * or none of that step.
 */
export async function openTrainedRun(
  folder: string,
  { step, useCurrentCode, device }: OpenOptions = {},
): Promise<TrainedRun> {
  const config = await configOf(folder);
  const chosen = step === "best" ? await bestStep(folder) : isAverage(step) ? undefined : step;
  const checkpoint =
    (await (chosen === undefined ? latestCheckpoint(folder) : checkpointAt(folder, chosen))) ??
    fail(
      folder,
      "a run with a checkpoint",
      "none yet",
      `Train it: statelab train --resume ${shellWord(folder)}`,
    );
  const onDevice = { ...config, device: device ?? config.device };
  const resolved = await resolveRun(folder, onDevice, { useCurrentCode, weights: checkpoint.model });
  const { task, runtime, data, model, remarks, pinned } = resolved;
  const weights = Object.fromEntries(
    Object.entries(checkpoint.model).map(([path, { data: numbers }]) => [path, numbers as Float32Array]),
  );
  if (step === "ema") Object.assign(weights, movingAverage(checkpoint, resolved));
  if (step === "mean") Object.assign(weights, await meanWeights(checkpoint, folder, config));
  for (const [path, numbers] of Object.entries(weights)) {
    const bad = unusable(numbers);
    if (bad !== undefined) notFiniteLogits(`${checkpoint.folder}, ${path}`, bad);
  }
  const { step: done, stageStarts, perfectAt, windows = [] } = checkpoint.state as TrainerState; // written by train.ts, checksummed
  let trained: ReadonlySet<number> | undefined;
  const stalled = done === 0 ? undefined : stalledAt(config, stageAt(stageStarts, done));
  const tree = parameterShapes(model);
  return {
    ...{ config, task, model, data, pinned, step: done, perfectAt, stalled, tree, weights, runtime },
    remarks: [
      ...checkpoint.passedOver,
      ...remarks,
      ...(isAverage(step) ? [`${folder}: the weights are the average ${step} up to step ${done}`] : []),
      ...(stalled === undefined ? [] : [`${folder}: ${stalledWords(stalled)}`]),
    ],
    *trained() {
      if (trained === undefined) {
        const drawn = trainingData(data, resolved.heldOut);
        drawn.shares.load(windows);
        const seen = yield* findingTrained(drawn, config.train.batch, done, (at) => stageAt(stageStarts, at));
        // Held-out programs selected a checkpoint, so they cannot test it.
        if (config.train.evaluateEvery !== undefined)
          for (const hash of drawn.heldOut?.hashes ?? []) seen.add(hash);
        trained = seen;
      }
      return trained;
    },
  };
}

/** Errors: LabError for a run without held-out evaluations. */
async function bestStep(folder: string): Promise<number> {
  const { best } = ((await latestCheckpoint(folder))?.state ?? {}) as Partial<TrainerState>; // written by train.ts
  return (
    best?.step ?? fail(folder, "a run with a best checkpoint", "none", "Train it with train.evaluateEvery")
  );
}

/** Programs per batch. */
const ROWS = 25;

export interface Asked {
  readonly evaluation: Evaluation;
  /** Reference solvers of the task on the same programs, by name. */
  readonly references: Readonly<Record<string, Evaluation>>;
  /** Surprise of the exact filter at each reveal of each program; only for tasks with hidden chance. */
  readonly exactSurprises?: readonly (readonly number[])[];
}

/** A test of programs of the changed task that the run was not trained on. */
export function testAbout(
  run: TrainedRun,
  change: Readonly<Record<string, unknown>>,
  programs: number,
  signal?: AbortSignal,
): Test {
  return {
    prepared: run.data.variant(change, "test"),
    tokenizer: run.data.tokenizer,
    // A stream for each test, so that a further test does not change the others.
    stream: exampleStream(run.config.seed, `test ${JSON.stringify(change)}`),
    programs,
    exclude: run.trained,
    pause: cooperativeTurns(signal),
  };
}

/**
 * Evaluates programs of the changed task. The references are those of the hardest trained variant (the window of the REPL is
 * twice the widest *trained* spacing), unless others are given.
 */
export async function askRun(
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
