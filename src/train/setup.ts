/**
 * @file A configuration resolved for training: data, model, objectives and optimizer, each parsed once and checked against the others.
 * Nothing is drawn or compiled yet. All later code reads this value.
 */

import { fail } from "../core/error.ts";
import { rngFrom } from "../core/rng.ts";
import {
  type Architecture,
  configureModel,
  initialParameters,
  type Model,
  parameterShapes,
} from "../models/index.ts";
import { growingStates } from "../models/prefill.ts";
import { penaltyNames, refuseUnpacked } from "../models/stack.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import type { Task } from "../tasks/task.ts";
import type { ParameterTree } from "../tensor/index.ts";
import { checkStream } from "./async-data/staleness.ts";
import { type TrainingData, trainingData } from "./data.ts";
import { chosenSignal, resolveObjectives, withStateHead } from "./objectives/index.ts";
import type { ChosenSignal, WeightedObjective } from "./objectives/objective.ts";
import { optimizerNamed } from "./optimizers/index.ts";
import type { MakeOptimizer } from "./optimizers/optimizer.ts";
import { checkSchedule } from "./schedule.ts";

export interface Setup {
  /** With the state head that its signal needs. */
  readonly config: RunConfig;
  /** With `objective`. */
  readonly signal: ChosenSignal | undefined;
  readonly model: Model;
  readonly data: TrainingData;
  /** For each stage, the objectives of the run. */
  readonly objectives: readonly (readonly WeightedObjective[])[];
  readonly optimizer: MakeOptimizer;
  /** Shares into which each batch or part of it is divided (step.ts). */
  readonly shares: number;
  /** Whether the parameter at a path changes in training. */
  readonly trains: (path: string) => boolean;
  /** Warnings before a training. */
  readonly notes: readonly string[];
}

/** Path prefix of the state before the first token. */
const INITIAL_STATE = "initialState.";

/** Errors: LabError for an invalid configuration. */
export function setUp(
  given: RunConfig,
  parts: { readonly task: Task; readonly architecture: Architecture },
): Setup {
  const signal = chosenSignal(given);
  const config = withStateHead(given, signal);
  checkSchedule(config.train);
  checkStream(config, signal);
  const data = trainingData(parts.task, config, signal);
  const { tokenizer, prepared } = data;
  const startAlone = config.train.trainable === "initial-state";
  if (startAlone && config.stateSupervision !== undefined) {
    fail("train.trainable", '"all" with stateSupervision', "initial-state", "Its head would be trained, too");
  }
  const described = { ...config.model, ...(startAlone && { initialState: "trained" }) };
  const model = configureModel(parts.architecture, described, tokenizer.tokens.length, "model");
  parameterShapes(model); // refuses sizes that do not fit
  const made = resolveObjectives({ config, model, prepared, tokenizer }, signal);
  const rows = config.train.batch;
  const objectives = data.stages.map((stage) =>
    made.map(({ objective, weight }) => ({
      objective,
      staged: objective.inStage({ prepared: stage.prepared, rows, length: stage.length }),
      weight,
    })),
  );
  const indivisible = indivisibleBy(objectives, model);
  if (config.train.padding === "bucket" && indivisible !== undefined)
    fail("train.padding", `"max" or "longest" with ${indivisible}`, "bucket", WHY_INDIVISIBLE);
  for (const at of ["packedLength", "truncatedLength"] as const)
    if (config.train[at] !== undefined) checkRows(at, config, model, objectives);
  if (config.train.truncatedLength !== undefined && indivisible !== undefined)
    fail("train.truncatedLength", `none with ${indivisible}`, config.train.truncatedLength, WHY_INDIVISIBLE);
  return {
    config,
    signal,
    model,
    data,
    objectives,
    optimizer: optimizerNamed(config.train.optimizer),
    shares: sharesOf(config, indivisible),
    trains: startAlone ? (path) => path.startsWith(INITIAL_STATE) : () => true,
    notes: made.flatMap(({ objective: { notes = [] } }) => notes),
  };
}

const WHY_INDIVISIBLE = "Its loss on a batch does not follow from parts of the batch";

/** The penalty or objective whose loss on a batch is not determined by those of its parts. */
function indivisibleBy(objectives: Setup["objectives"], model: Model): string | undefined {
  const [penalty] = penaltyNames(model);
  if (penalty !== undefined) return `the penalty ${penalty} of the model`;
  const found = objectives.flat().find(({ staged }) => staged.sheet().asked === undefined);
  return found && `the objective ${found.objective.name}`;
}

/**
 * `train.shares`; by default 2, or 1 where a batch cannot be divided, is divided by `padding: bucket`, or is computed by a GPU. Errors:
 * LabError for a batch that cannot be divided.
 */
function sharesOf(
  { train: { shares, batch, padding }, device }: RunConfig,
  indivisible: string | undefined,
): number {
  if (shares === undefined)
    return indivisible !== undefined || padding === "bucket" || device !== "cpu" || batch === 1 ? 1 : 2;
  if (shares > batch) fail("train.shares", `at most train.batch, ${batch}`, shares);
  if (shares > 1 && indivisible !== undefined)
    fail("train.shares", `1 with ${indivisible}`, shares, WHY_INDIVISIBLE);
  return shares;
}

/** Errors: LabError if packed sessions would not be independent, or rows cannot be computed in pieces. */
function checkRows(
  key: "packedLength" | "truncatedLength",
  { train, device }: RunConfig,
  model: Model,
  objectives: Setup["objectives"],
): void {
  const at = `train.${key}`;
  const inPieces = key === "truncatedLength";
  if (inPieces) {
    const [grows] = Object.keys(growingStates(model));
    if (grows !== undefined) {
      const { mixer } = model.mixers[Number(grows.split(".")[1])];
      fail(at, "mixers with a state of fixed size", mixer.name, "Its cache grows with the row");
    }
    const fixed = model.mixers.find(({ mixer }) => mixer.unpacked !== undefined && !mixer.extend);
    if (fixed) fail(at, "mixers that can continue from any token", fixed.mixer.name, fixed.mixer.unpacked);
    if (train.packedLength !== undefined)
      fail(at, "none with train.packedLength", train[key], "Pieces of a row have one state");
    if (device !== "cpu") fail(at, "device: cpu", device, "Weights on a device are updated by each run");
  } else refuseUnpacked(model, at);
  if (train.padding !== "max") fail("train.padding", `"max" with ${at}`, train.padding);
  const other = objectives.flat().find(({ staged }) => {
    const { asked, read } = staged.sheet();
    return asked === undefined || (inPieces && read !== undefined);
  });
  if (other !== undefined) {
    const hint = "Its loss is no mean over positions";
    fail(at, `none with the objective ${other.objective.name}`, train[key], hint);
  }
}

/**
 * Replaces fresh weights by those of another training, except an initial state that they lack. Errors: LabError for weights of
 * another model.
 */
export function beginWith(
  parameters: Readonly<Record<string, Float32Array>>,
  base: Readonly<Record<string, Float32Array>>,
  at: string,
): void {
  for (const [path, numbers] of Object.entries(parameters)) {
    if (base[path] === undefined && path.startsWith(INITIAL_STATE)) continue;
    if (base[path]?.length !== numbers.length)
      fail(at, `${numbers.length} numbers for ${path}`, base[path]?.length ?? "nothing");
    numbers.set(base[path]);
  }
}

/** Fresh parameters of the model, which do not depend on the objectives, and those of the objectives. */
export function initialTrained({ config, model, objectives }: Setup): ParameterTree {
  const rng = rngFrom(config.seed);
  const own = objectives[0].flatMap(({ objective: { own } }) =>
    own === undefined ? [] : [[own.key, own.initial(rng.fork(own.key))] as const],
  );
  return { ...initialParameters(model, rng.fork("parameters")), ...Object.fromEntries(own) };
}
