/**
 * @file What an experiment expects of a result, as rows of one table: a name, what is expected, one value a seed, whether it is met.
 *
 * A model is compared only where it has learned its training (src/schemas/convergence.ts): `ofLearned` removes the other rows, and
 * `trainingChecks` names the runs that have not.
 */

import { mean } from "../../src/core/statistics.ts";
import { grouped, measured, percentSign } from "../../src/report/index.ts";
import { unlearned } from "../../src/schemas/convergence.ts";
import type { Check, ResultRow } from "../../src/schemas/experiment-result.ts";
import type { Criterion, UnreadResult } from "./result.ts";
import { asReference, type Reading, readAccuracy } from "./views.ts";

type Unit = Check["unit"];
type Learning = Pick<UnreadResult, "models" | "results" | "training">;

const written = (value: number, unit: Unit) => (unit === "share" ? percentSign(value) : measured(value));

/** A row of the table; none where nothing was measured. Values that are not finite (a ratio over 0) are no measurement. */
export function check(
  name: string,
  expected: string,
  values: readonly number[],
  met: boolean,
  unit: Unit = "share",
): Check[] {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? [] : [{ name, expected, values: finite, met, unit }];
}

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

/** Rows of runs that have learned their training. */
export function ofLearned<Row extends Pick<ResultRow, "setting" | "model" | "seed">>(
  result: Pick<Learning, "results" | "training">,
  rows: readonly Row[],
): Row[] {
  const not = new Set(unlearned(result).map(keyOf));
  return rows.filter((row) => !not.has(keyOf(row)));
}

const keyOf = ({ setting, model, seed }: Pick<ResultRow, "setting" | "model" | "seed">) =>
  `${setting}\0${model}\0${seed}`;

/** Models that in some setting and seed have not learned their training. */
export const notLearned = <Model extends string>(
  result: Pick<Learning, "results" | "training">,
  models: readonly Model[],
  setting?: string,
): Model[] =>
  models.filter(
    (model) => unlearned(result, { model, ...(setting !== undefined && { setting }) }).length > 0,
  );

/** What is read off a row, and its name where it is not the accuracy of all answers. */
export interface Read {
  readonly value?: Reading;
  readonly called?: string;
}

/** Rows by setting, model and test, with the name of each group: `S_3, LSTM at 48/24`. */
function groupsOf(result: Learning, rows: readonly ResultRow[], called?: string) {
  const groups = grouped(ofLearned(result, rows), ({ setting, model, tested }) =>
    [
      ...(setting === "" ? [] : [setting]),
      `${modelLabel(result, model)} at ${tested.name}`,
      ...(called === undefined ? [] : [called]),
    ].join(", "),
  );
  return [...groups];
}

/** Each model that has learned its training meets the criterion in every seed. */
export const eachMeets = (
  result: Learning,
  rows: readonly ResultRow[],
  { least }: Criterion,
  { value = readAccuracy, called }: Read = {},
): Check[] => groupsOf(result, rows, called).flatMap(([name, own]) => atLeast(name, own.map(value), least));

/** No model is above the windowed reference by more than `slack`. */
export const noneAboveWindow = (
  result: Learning,
  rows: readonly ResultRow[],
  slack: number,
  { value = readAccuracy, called }: Read = {},
): Check[] =>
  groupsOf(result, rows, called).flatMap(([name, own]) => {
    const over = own.flatMap((row) => {
      const reference = asReference(row, "windowedBayes");
      return reference === undefined ? [] : [value(row) - value(reference)];
    });
    return atMost(`${name}, above the windowed filter`, over, slack);
  });

/** Runs that have not learned their training, and curricula that ended early. */
export function trainingChecks(result: Learning): Check[] {
  const runName = ({ setting, model }: Pick<ResultRow, "setting" | "model">) =>
    `${setting === "" ? "" : `${setting}, `}${modelLabel(result, model)}`;
  const missed = [...grouped(unlearned(result), (run) => `${runName(run)} as trained, ${run.at}`)];
  const ended = [...grouped(result.training, runName)].flatMap(([name, own]) => {
    const stages = own.flatMap((curve) => curve.stages ?? []);
    const reached = stages.map((stage) => stage.reached);
    const of = Math.max(...stages.map((stage) => stage.of));
    return atLeast(`${name}: stage of its curriculum`, reached, of, "number");
  });
  return [
    ...missed.flatMap(([name, own]) =>
      check(
        name,
        "learned its training",
        own.map(({ accuracy }) => accuracy),
        false,
      ),
    ),
    ...ended.filter(({ met }) => !met),
  ];
}
