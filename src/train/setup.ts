/**
 * @file A configuration resolved for training: data, model, objectives and optimizer, each parsed once and checked against the others.
 * Nothing is drawn or compiled yet. All later code reads this value.
 */

import { fail } from "../core/error.ts";
import { noNumbers, rngFrom } from "../core/rng.ts";
import { type Architecture, configureModel, initialParameters, type Model } from "../models/index.ts";
import { penaltyNames, refuseUndivided, refuseUnpacked } from "../models/stack.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import type { Task } from "../tasks/task.ts";
import type { ParameterTree } from "../tensor/index.ts";
import { type DataPlan, planData } from "./data.ts";
import { chosenSignal, resolveObjectives } from "./objectives/index.ts";
import type { ChosenSignal, WeightedObjective } from "./objectives/objective.ts";
import { optimizerNamed } from "./optimizers/index.ts";
import type { MakeOptimizer } from "./optimizers/optimizer.ts";
import type { ScheduleConfig } from "./schedule.ts";

export interface Setup {
  readonly config: RunConfig;
  /** With `objective`. */
  readonly signal: ChosenSignal | undefined;
  readonly model: Model;
  readonly data: DataPlan;
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
  config: RunConfig,
  parts: { readonly task: Task; readonly architecture: Architecture },
): Setup {
  const signal = chosenSignal(config);
  checkTrain(config, signal);
  checkSchedule(config.train);
  checkStream(config, signal);
  const data = planData(parts.task, config, signal);
  const { tokenizer, prepared } = data;
  const startAlone = config.train.trainable === "initial-state";
  const described = { ...config.model, ...(startAlone && { initialState: "trained" }) };
  const model = configureModel(parts.architecture, described, tokenizer.tokens.length, "model");
  if (config.train.packedLength !== undefined) refuseUnpacked(model, "train.packedLength");
  if (config.train.truncatedLength !== undefined) refuseUndivided(model, "train.truncatedLength");
  const [penalty] = penaltyNames(model);
  initialParameters(model, noNumbers); // refuses sizes that do not fit
  const made = resolveObjectives({ config, model, prepared, tokenizer }, signal);
  const rows = config.train.batch;
  const objectives = data.stages.map((stage) =>
    made.map(({ objective, weight }) => ({
      objective,
      staged: objective.inStage({ prepared: stage.prepared, rows, length: stage.length }),
      weight,
    })),
  );
  return {
    config,
    signal,
    model,
    data,
    objectives,
    shares: sharesOf(config, objectives.flat(), penalty),
    optimizer: optimizerNamed(config.train.optimizer),
    trains: startAlone ? (path) => path.startsWith(INITIAL_STATE) : () => true,
    notes: made.flatMap(({ objective: { notes = [] } }) => notes),
  };
}

/** Errors: LabError for settings of the training that do not fit each other. */
function checkTrain({ train, stateSupervision, device }: RunConfig, signal: ChosenSignal | undefined): void {
  const { stopWhenSolved, evaluateEvery, validationExamples, patience } = train;
  const { packedLength, truncatedLength, padding } = train;
  if (evaluateEvery !== undefined && stopWhenSolved !== undefined)
    fail("train.evaluateEvery", "either this or train.stopWhenSolved", "both");
  const alone = Object.entries({ validationExamples, patience }).find(([, value]) => value !== undefined);
  if (evaluateEvery === undefined && alone !== undefined)
    fail(`train.${alone[0]}`, "train.evaluateEvery too", "none");
  if (train.trainable === "initial-state" && (stateSupervision !== undefined || signal?.supervises))
    fail("train.trainable", '"all" with stateSupervision', "initial-state", "Its head would be trained, too");
  if (truncatedLength !== undefined) {
    const at = "train.truncatedLength";
    if (packedLength !== undefined)
      fail(at, "none with train.packedLength", truncatedLength, "Pieces of a row have one state");
    if (device !== "cpu") fail(at, "device: cpu", device, "Weights on a device are updated by each run");
  }
  if (train.shares !== undefined && train.shares > train.batch)
    fail("train.shares", `at most train.batch, ${train.batch}`, train.shares);
  for (const key of ["packedLength", "truncatedLength"] as const)
    if (train[key] !== undefined && padding !== "max")
      fail("train.padding", `"max" with train.${key}`, padding);
}

/** @throws LabError for fields of another schedule, and for budgets that do not fit `steps`. */
export function checkSchedule(train: ScheduleConfig): void {
  const {
    schedule,
    decayCheckpoints: budgets,
    decayFraction,
    decayShape,
    minLearningRateRatio,
    steps,
  } = train;
  if (schedule !== "wsd-s") {
    const strange = Object.entries({ decayCheckpoints: budgets, decayFraction }).find(
      ([, value]) => value !== undefined,
    );
    if (strange !== undefined) fail("train.schedule", `"wsd-s" with train.${strange[0]}`, schedule);
  } else if (budgets === undefined) {
    fail("train.decayCheckpoints", "the last steps of the decays, such as [300, 600]", "none");
  } else if (budgets.some((budget, i) => i > 0 && budget <= budgets[i - 1])) {
    fail("train.decayCheckpoints", "each to be more than the one before it", budgets);
  } else if (budgets.at(-1) !== steps) {
    fail("train.decayCheckpoints", `the last to be train.steps (${steps})`, budgets.at(-1));
  }
  const decays = schedule === "wsd" || schedule === "wsd-s";
  if (decayShape !== undefined && !decays)
    fail("train.schedule", '"wsd" or "wsd-s" with train.decayShape', schedule);
  if (schedule === "range" && minLearningRateRatio === 0)
    fail("train.minLearningRateRatio", "more than 0 for train.schedule: range", 0);
  const inverse = decayShape === "inverse" || (schedule === "wsd-s" && decayShape === undefined);
  if (inverse && minLearningRateRatio === 0)
    fail(
      "train.minLearningRateRatio",
      "more than 0 for an inverse decay",
      0,
      "Or set train.decayShape: linear",
    );
}

/** Errors: LabError if the examples of a step cannot be made ahead of it. */
export function checkStream(config: RunConfig, chosen: ChosenSignal | undefined): void {
  const { data, curriculum, train } = config;
  if (data?.async === undefined) return;
  const together = "with data.async";
  if (curriculum.stages.length > 1)
    fail(
      "curriculum.stages",
      `one stage ${together}`,
      curriculum.stages.length,
      "Train one run per stage, with init.from",
    );
  if (data.mixture !== undefined)
    fail("data.mixture", `none ${together}`, "one", "Use the variants of a stage instead");
  if (train.padding !== "max") fail("train.padding", `"max" ${together}`, train.padding);
  for (const key of ["packedLength", "truncatedLength"] as const)
    if (train[key] !== undefined) fail(`train.${key}`, `none ${together}`, train[key]);
  if (chosen?.keepsBeginning)
    fail("objective", `one that does not depend on the current weights, ${together}`, chosen.name);
}

const WHY_INDIVISIBLE = "Its loss on a batch does not follow from parts of the batch";

/**
 * `train.shares`; by default 2, or 1 where a batch cannot be divided, is divided by `padding: bucket`, or is computed by a GPU. Errors:
 * LabError for a batch that has to be divided and cannot.
 */
function sharesOf(
  { train, device }: RunConfig,
  objectives: readonly WeightedObjective[],
  penalty: string | undefined,
): number {
  const { shares, batch, padding } = train;
  const losses = objectives.map(({ objective: { name }, staged }) => {
    const { asked, read } = staged.sheet();
    return { name, whole: asked === undefined, reads: read !== undefined };
  });
  for (const key of ["packedLength", "truncatedLength"] as const) {
    const other = losses.find(({ whole, reads }) => whole || (key === "truncatedLength" && reads));
    if (train[key] === undefined || other === undefined) continue;
    const hint = "Its loss is no mean over positions";
    fail(`train.${key}`, `none with the objective ${other.name}`, train[key], hint);
  }
  const loss = losses.find(({ whole }) => whole);
  const indivisible =
    penalty === undefined ? loss && `the objective ${loss.name}` : `the penalty ${penalty} of the model`;
  if (indivisible !== undefined) {
    if (padding === "bucket")
      fail("train.padding", `"max" or "longest" with ${indivisible}`, "bucket", WHY_INDIVISIBLE);
    if (train.truncatedLength !== undefined)
      fail("train.truncatedLength", `none with ${indivisible}`, train.truncatedLength, WHY_INDIVISIBLE);
    if (shares !== undefined && shares > 1)
      fail("train.shares", `1 with ${indivisible}`, shares, WHY_INDIVISIBLE);
  }
  if (shares === undefined)
    return indivisible !== undefined || padding === "bucket" || device !== "cpu" || batch === 1 ? 1 : 2;
  return shares;
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
