/** @file Sentences that experiments share: who does it, what each has, where one falls short. */

import { mean } from "../../src/math/statistics.ts";
import { hasLearned, type Unlearned, unlearned } from "../../src/records/learned.ts";
import type { ResultRow, TrainingCurve } from "../../src/records/result.ts";
import { listed, percentSign } from "../../src/report/index.ts";
import type { Criterion, UnreadResult } from "./define.ts";
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

type Told = Pick<UnreadResult, "models" | "results" | "training">;

/** Models that in some setting and seed have not learned their training (records/learned.ts): what they can hold is not shown. */
export const notLearned = <Model extends string>(
  result: Omit<Told, "models">,
  models: readonly Model[],
  setting?: string,
): Model[] =>
  models.filter((model) => !hasLearned(result, { model, ...(setting !== undefined && { setting }) }));

/** What a sentence about all models is made of; `does` names a model that does it, `LSTM (S_3)`, and is undefined for who does not. */
export interface Doing<Model extends string> {
  readonly does: (model: Model) => string | undefined;
  readonly one: string;
  readonly many: string;
  readonly rest: string;
  /** The one that is told of, where it is not all. */
  readonly setting?: string;
}

/**
 * Who does, of those that have learned what they were trained on; of the others that they have not, and nothing else:
 * `Only LSTM names them; GRU had not learned its training in this budget`.
 */
export function whoOf<Model extends string>(
  result: Told,
  models: readonly Model[],
  { does, one, many, rest, setting }: Doing<Model>,
): string {
  const not = notLearned(result, models, setting);
  const compared = models.filter((model) => !not.includes(model));
  if (compared.length === 0) return "No model had learned its training in this budget";
  const doing = compared.flatMap((model) => does(model) ?? []);
  const said = `${who(doing, compared.length, one, many)} ${rest}`;
  if (not.length === 0) return said;
  const none = said.replace(/^No model/, "No model that learned its training");
  return `${none}; ${hadNotLearned(not.map((model) => labelOf(result, model)))}`;
}

/** `LSTM and GRU had not learned their training in this budget`; what else they had not learned, where it is not that. */
export const hadNotLearned = (labels: readonly string[], what?: string) =>
  `${listed(labels)} had not learned ${what ?? `${labels.length === 1 ? "its" : "their"} training`} in this budget`;

/** A sentence for a page where numbers of who has not learned stand beside those of others; nothing where all have. */
export function nothingShown(result: Told, models: readonly string[], setting?: string): string {
  const not = notLearned(result, models, setting);
  if (not.length === 0) return "";
  return ` ${hadNotLearned(not.map((model) => labelOf(result, model)))}, so of ${not.length === 1 ? "it" : "them"} nothing is shown beyond.`;
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

/** `S_3, lstm (seed 0): not learned in this budget, 33.3 % at 16/1, which it was trained on.` */
const toldUnlearned = (run: Unlearned) =>
  `${whereOf(run)}: not learned in this budget, ${percentSign(run.accuracy)} at ${run.at}, which it was trained on.`;

/** The same of many rows: of a run that has not learned its training that it has not, once, in place of where it falls short. */
export function shortOf(
  result: Pick<UnreadResult, "results" | "training">,
  rows: readonly ResultRow[],
  criterion: Criterion,
  read: Read = {},
): string[] {
  const said = rows.flatMap((row) => {
    const short = below(row, criterion, read);
    const { setting, model, seed } = row;
    const [run] = short.length === 0 ? [] : unlearned(result, { setting, model, seed });
    return run === undefined ? short : [toldUnlearned(run)];
  });
  return [...new Set(said)];
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
