/**
 * @file What an experiment expects of a result, as rows of one table: a name, what is expected, one value a seed, whether it is met.
 *
 * An expectation is about all models, or about those that it names by `about`. It is inconclusive where one of them did not finish its
 * curriculum or has not learned its training (src/schemas/convergence.ts); the row of that training follows.
 */

import { mean } from "../../src/core/statistics.ts";
import { grouped, measured, percentSign } from "../../src/report/index.ts";
import { unlearned } from "../../src/schemas/convergence.ts";
import type { Check, ResultRow } from "../../src/schemas/experiment-result.ts";
import type { Criterion, UnreadResult } from "./result.ts";
import { asReference, readAccuracy } from "./views.ts";

type Unit = Check["unit"];
type Learning = Pick<UnreadResult, "models" | "results" | "training">;
type RunKey = Pick<ResultRow, "setting" | "model" | "seed">;

export interface Expectation extends Check {
  /** What it is about, where that is not all models in all settings; `training`: whether they learn at all. */
  readonly about?: "training" | { readonly models: readonly string[]; readonly setting?: string };
  /** Of a row about a training: the runs that have not learned it, or not all of it. */
  readonly untrained?: readonly RunKey[];
}

const written = (value: number, unit: Unit) => (unit === "share" ? percentSign(value) : measured(value));

/** A row of the table; none where nothing was measured. Values that are not finite (a ratio over 0) are no measurement. */
export function check(
  name: string,
  expected: string,
  values: readonly number[],
  met: boolean,
  unit: Unit = "share",
): Expectation[] {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? [] : [{ name, expected, values: finite, met, unit }];
}

/** Expectations about these models alone, in one setting where it is given. */
export const about = (models: readonly string[], expectations: readonly Expectation[], setting?: string) =>
  expectations.map(
    (each): Expectation => ({ ...each, about: { models, ...(setting !== undefined && { setting }) } }),
  );

/** Expectations that a training comes to something, or to nothing: a model that has not learned does not make them inconclusive. */
export const aboutTraining = (...expectations: readonly Expectation[]) =>
  expectations.map((each): Expectation => ({ ...each, about: "training" }));

/** Whether trainings outside of the plan's runs have been learned; expectations about a model that has not are inconclusive. */
export const haveLearned = (
  name: string,
  rows: readonly (RunKey & { readonly value: number })[],
  least: number,
) =>
  atLeast(
    name,
    rows.map(({ value }) => value),
    least,
  ).map((each): Expectation => ({ ...each, untrained: rows.filter(({ value }) => value < least) }));

/** In every seed. */
export const atLeast = (name: string, values: readonly number[], least: number, unit: Unit = "share") =>
  check(
    name,
    `at least ${written(least, unit)}`,
    values,
    values.every((value) => value >= least),
    unit,
  );

/** In every seed. */
export const atMost = (name: string, values: readonly number[], most: number, unit: Unit = "share") =>
  check(
    name,
    `at most ${written(most, unit)}`,
    values,
    values.every((value) => value <= most),
    unit,
  );

/** In every seed. */
export const above = (name: string, values: readonly number[], bound: number, unit: Unit = "share") =>
  check(
    name,
    `above ${written(bound, unit)}`,
    values,
    values.every((value) => value > bound),
    unit,
  );

/** The mean over seeds, or what `read` makes of them, is so near an expected value. */
export const near = (
  name: string,
  values: readonly number[],
  expected: number,
  slack: number,
  { unit = "share", read = mean }: { unit?: Unit; read?: (values: readonly number[]) => number } = {},
) =>
  check(
    name,
    `${written(expected, unit)} \u00B1 ${written(slack, unit)}`,
    values,
    values.length > 0 && Math.abs(read(values) - expected) <= slack,
    unit,
  );

export const modelLabel = ({ models }: Pick<UnreadResult, "models">, model: string) =>
  models[model]?.label ?? model;

/** Rows by setting, model and test, with the name of each group: `S_3, LSTM at 48/24`. */
const groupsOf = (result: Learning, rows: readonly ResultRow[]) => [
  ...grouped(
    rows,
    ({ setting, model, tested }) =>
      `${setting === "" ? "" : `${setting}, `}${modelLabel(result, model)} at ${tested.name}`,
  ),
];

/** Each model meets the criterion in every seed. */
export const eachMeets = (
  result: Learning,
  rows: readonly ResultRow[],
  { least }: Criterion,
): Expectation[] =>
  groupsOf(result, rows).flatMap(([name, own]) =>
    about([own[0].model], atLeast(name, own.map(readAccuracy), least), own[0].setting),
  );

/** No model is above the windowed reference by more than `slack`. */
export const noneAboveWindow = (result: Learning, rows: readonly ResultRow[], slack: number): Expectation[] =>
  groupsOf(result, rows).flatMap(([name, own]) => {
    const over = own.flatMap((row) => {
      const reference = asReference(row, "windowedBayes");
      return reference === undefined ? [] : [row.accuracy - reference.accuracy];
    });
    return about([own[0].model], atMost(`${name}, above the windowed filter`, over, slack), own[0].setting);
  });

/** Runs that have not learned their training, and curricula that ended early. */
export function trainingChecks(result: Learning): Expectation[] {
  const runName = ({ setting, model }: Pick<ResultRow, "setting" | "model">) =>
    `${setting === "" ? "" : `${setting}, `}${modelLabel(result, model)}`;
  const missed = [...grouped(unlearned(result), (run) => `${runName(run)} as trained, ${run.at}`)];
  const ended = [...grouped(result.training, runName)].flatMap(([name, own]) => {
    const staged = own.flatMap(({ stages, ...run }) => (stages === undefined ? [] : [{ ...run, ...stages }]));
    const reached = staged.map((run) => run.reached);
    const of = Math.max(...staged.map((run) => run.of));
    return atLeast(`${name}: stage of its curriculum`, reached, of, "number").map((each) => ({
      ...each,
      untrained: staged.filter((run) => run.reached < of),
    }));
  });
  return [
    ...missed.flatMap(([name, untrained]) => {
      const shares = untrained.map(({ accuracy }) => accuracy);
      return check(name, "fits its training data", shares, false).map((each) => ({ ...each, untrained }));
    }),
    ...ended.filter(({ met }) => !met),
  ];
}

const isOneOf = (runs: readonly RunKey[]) => {
  const keys = new Set(runs.map(({ setting, model, seed }) => `${setting}\0${model}\0${seed}`));
  return ({ setting, model, seed }: RunKey) => keys.has(`${setting}\0${model}\0${seed}`);
};

const concerns = ({ about: what }: Expectation, { setting, model }: RunKey): boolean =>
  what !== "training" &&
  (what === undefined || (what.models.includes(model) && (what.setting ?? setting) === setting));

/**
 * The expectations of a result, each trained one below what it makes inconclusive. Not met stays not met where the seeds that are
 * trained show it without the others.
 */
export function concluded(
  result: UnreadResult,
  checks: (result: UnreadResult) => readonly Expectation[],
): Check[] {
  const all = [...checks(result), ...trainingChecks(result)];
  const reasons = all.filter(({ untrained = [] }) => untrained.length > 0);
  const untrained = reasons.flatMap((reason) => reason.untrained ?? []);
  const isUntrained = isOneOf(untrained);
  const without = <Row extends RunKey>(rows: readonly Row[]) => rows.filter((row) => !isUntrained(row));
  const [results, measurements] = [without(result.results), without(result.measurements)];
  const trained = checks({ ...result, results, measurements, training: without(result.training) });
  const remaining = [...results, ...measurements];
  const isRefuted = (expectation: Expectation) =>
    trained.some(({ name, met }) => name === expectation.name && met === false) &&
    untrained
      .filter((run) => concerns(expectation, run))
      .every(({ setting, model }) => remaining.some((row) => row.setting === setting && row.model === model));
  const rows = all.filter((each) => !reasons.includes(each));
  const isUnsure = (each: Expectation) => untrained.some((run) => concerns(each, run)) && !isRefuted(each);
  const below = (reason: Expectation) =>
    rows.findLastIndex((each) => isUnsure(each) && reason.untrained?.some((run) => concerns(each, run)));
  const row = ({ about: _, untrained: __, ...each }: Expectation): Check => each;
  return [...rows.entries()]
    .flatMap(([i, each]) => [
      isUnsure(each) ? { ...row(each), met: "inconclusive" as const } : row(each),
      ...reasons.filter((reason) => below(reason) === i).map(row),
    ])
    .concat(reasons.filter((reason) => below(reason) === -1).map(row));
}
