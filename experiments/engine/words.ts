/** @file Sentences that experiments share: who does it, what each has, where one falls short. */

import { mean } from "../../src/math/statistics.ts";
import type { ResultRow, TrainingCurve } from "../../src/records/result.ts";
import { listed, percentSign } from "../../src/report/index.ts";
import { type Criterion, tracks } from "./criteria.ts";
import type { UnreadResult } from "./experiment.ts";
import { accuracyOf, asReference, type Reading, rowsOf } from "./views.ts";

export const labelOf = ({ models }: Pick<UnreadResult, "models">, model: string) =>
  models[model]?.label ?? model;

/** `S_3, lstm (seed 0)` */
export const whereOf = ({ setting, model, seed }: Pick<ResultRow, "setting" | "model" | "seed">) =>
  `${setting === "" ? "" : `${setting}, `}${model} (seed ${seed})`;

/** `Only LSTM names`, `LSTM and GRU name`, `No model names`: of so many, those who do. */
export function who(doing: readonly string[], of: number, one: string, many: string): string {
  if (doing.length === 0) return `No model ${one}`;
  return `${doing.length < of ? "Only " : ""}${listed(doing)} ${doing.length === 1 ? one : many}`;
}

/**
 * Models that in some setting and seed are below 95 % in everything that they were trained on: what they can hold is not shown.
 * Where nobody can know the answers, 95 % of what the exact filter knows.
 */
export function notLearned<Model extends string>(
  result: Pick<UnreadResult, "results">,
  models: readonly Model[],
): Model[] {
  const known = (row: ResultRow) => asReference(row, "exactBayes")?.accuracy ?? 1;
  return models.filter((model) => {
    const trained = rowsOf(result, { model }).filter(({ tested }) => tested.asTrained);
    const isLearned = (row: ResultRow) => row.accuracy >= tracks.least * known(row);
    return trained.some(
      ({ setting, seed }) => !rowsOf({ results: trained }, { setting, seed }).some(isLearned),
    );
  });
}

/**
 * Who does, of those that have learned what they were trained on; of the others that they have not, and nothing else:
 * `Only LSTM names them; GRU had not learned its training in this budget`.
 */
export function whoOf<Model extends string>(
  result: Pick<UnreadResult, "models" | "results">,
  models: readonly Model[],
  doing: readonly string[],
  [one, many, rest]: readonly [one: string, many: string, rest: string],
): string {
  const not = notLearned(result, models);
  const compared = models.length - not.length;
  const unlearned = `${listed(not.map((model) => labelOf(result, model)))} had not learned ${not.length === 1 ? "its" : "their"} training in this budget`;
  if (compared === 0) return `No model had learned its training in this budget`;
  const said = `${who(doing, compared, one, many)} ${rest}`;
  return not.length === 0
    ? said
    : `${said.replace(/^No model/, "No model that learned its training")}; ${unlearned}`;
}

export const meanOver = (rows: readonly ResultRow[], value: Reading = accuracyOf) => mean(rows.map(value));

/** `LSTM 98.7 %` for each model that was asked; its mean over seeds (and whatever else `wanted` leaves open). */
export function meansOf(
  result: Pick<UnreadResult, "models" | "results">,
  models: readonly string[],
  wanted: { readonly setting?: string; readonly test?: string },
  value: Reading = accuracyOf,
): string[] {
  return models.flatMap((model) => {
    const rows = rowsOf(result, { ...wanted, model });
    return rows.length === 0 ? [] : [`${labelOf(result, model)} ${percentSign(meanOver(rows, value))}`];
  });
}

/** The models all of whose rows (their mean, where it is `on: "mean"`) are enough; who was not asked is not among them. */
export function modelsThat<Model extends string>(
  result: Pick<UnreadResult, "results">,
  models: readonly Model[],
  criterion: Criterion,
  wanted: { readonly setting?: string; readonly test?: string },
  { value = accuracyOf, on = "each" }: { readonly value?: Reading; readonly on?: "each" | "mean" } = {},
): Model[] {
  return models.filter((model) => {
    const rows = rowsOf(result, { ...wanted, model });
    if (rows.length === 0) return false;
    return on === "mean"
      ? criterion.met(meanOver(rows, value))
      : rows.every((row) => criterion.met(value(row)));
  });
}

/** What is read off a row, and what a sentence calls it where it is not the accuracy of all answers. */
export interface Read {
  readonly value?: Reading;
  readonly called?: string;
}

const told = (row: ResultRow, { value = accuracyOf, called }: Read) =>
  `${whereOf(row)} at ${row.tested.name}${called === undefined ? "" : `, ${called}`}: ${percentSign(value(row))}`;

/** A sentence where a row was expected to be enough and is not. */
export function below(row: ResultRow, criterion: Criterion, read: Read = {}): string[] {
  const { value = accuracyOf } = read;
  return criterion.met(value(row)) ? [] : [`${told(row, read)}, below the expected ${criterion.inWords}.`];
}

/** A sentence where a row is clearly above what the last commands alone tell. */
export function aboveWindow(row: ResultRow, slack: number, read: Read = {}): string[] {
  const { value = accuracyOf } = read;
  const reference = asReference(row, "windowedBayes");
  if (reference === undefined || value(row) <= value(reference) + slack) return [];
  return [
    `${told(row, read)}, more than ${Math.round(100 * slack)} points above the windowed reference ${percentSign(value(reference))}.`,
  ];
}

/** A sentence for every run whose curriculum did not come to its last stage; as `told` says it: `spacing 4`. */
export function endedEarly(
  { training }: Pick<UnreadResult, "training">,
  isLast: (stage: string, curve: TrainingCurve) => boolean,
  told: (stage: string) => string,
): string[] {
  return training.flatMap((curve) => {
    const stage = curve.points.at(-1)?.stage ?? "none";
    if (isLast(stage, curve)) return [];
    return [`${whereOf(curve)}: its curriculum ended at ${told(stage)} after ${curve.steps} steps.`];
  });
}
