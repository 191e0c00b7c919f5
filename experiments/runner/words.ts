/** @file Sentences that experiments share: who does it, what each has, where one falls short. */

import { hasLearned } from "../../src/records/learned.ts";
import type { UnreadResult } from "./define.ts";
import type { Reading } from "./views.ts";

export const labelOf = ({ models }: Pick<UnreadResult, "models">, model: string) =>
  models[model]?.label ?? model;

type Told = Pick<UnreadResult, "models" | "results" | "training">;

/** Models that in some setting and seed have not learned their training (records/learned.ts): what they can hold is not shown. */
export const notLearned = <Model extends string>(
  result: Omit<Told, "models">,
  models: readonly Model[],
  setting?: string,
): Model[] =>
  models.filter((model) => !hasLearned(result, { model, ...(setting !== undefined && { setting }) }));

/** What is read off a row, and what a sentence calls it where it is not the accuracy of all answers. */
export interface Read {
  readonly value?: Reading;
  readonly called?: string;
}
