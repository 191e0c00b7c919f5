/** @file Sentences that experiments share: who does it, what each has, where one falls short. */

import { mean } from "../../src/math/statistics.ts";
import { hasLearned } from "../../src/records/learned.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { listed, percentSign } from "../../src/report/index.ts";
import type { UnreadResult } from "./define.ts";
import { accuracyOf, type Reading, rowsOf } from "./views.ts";

export const labelOf = ({ models }: Pick<UnreadResult, "models">, model: string) =>
  models[model]?.label ?? model;

/** `Only LSTM names`, `LSTM and GRU name`, `No model names`: of so many, those who do. */
function who(doing: readonly string[], of: number, one: string, many: string): string {
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
interface Doing<Model extends string> {
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

/** What is read off a row, and what a sentence calls it where it is not the accuracy of all answers. */
export interface Read {
  readonly value?: Reading;
  readonly called?: string;
}
