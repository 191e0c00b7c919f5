/** @file What `belief-models` reads off its measurements: nats above the exact filter, by test and by partial reveals. */

import { mean } from "../../src/math/statistics.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import type { Recipe } from "../engine/recipes.ts";
import { natsAboveExact } from "./belief-nats.ts";
import type { Kind } from "./recipes.ts";

export interface BeliefSettings {
  readonly variables: number;
  /** Kinds of programs, from frequent full reveals to rare ones. */
  readonly trained: readonly Kind[];
  /** Lines of a program without a full reveal. */
  readonly beyond: number;
  readonly recipes: Readonly<
    Record<"deltanet[-1,1]" | "deltanet[0,1]" | "lstm" | "gru" | "transformer", Recipe>
  >;
  /** Programs that each is trained on, where that is not what was searched. */
  readonly trainedOn?: number;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

/** The test with the densest reveals: all variables, after every line. */
export const FULL_REVEALS = "full reveals";

export const nats = (value: number) => `${value.toFixed(3)} nats`;

export const longestTrained = ({ trained }: BeliefSettings) =>
  Math.max(...trained.map(([, fullEvery]) => fullEvery - 1));

export type Paid = "above" | "rowColumn" | "sinkhorn";

/** Nats above the exact filter, one number a seed: the mean over the places of a test from `least` to `most` partial reveals. */
export function aboveOf(
  result: UnreadResult,
  model: string,
  { test, least, most }: { readonly test: string; readonly least: number; readonly most: number },
  paid: Paid = "above",
): number[] {
  const rows = natsAboveExact
    .of(result, { model, at: { test } })
    .filter(({ at }) => Number(at.partials) >= least && Number(at.partials) <= most);
  return result.seeds.flatMap((seed) => {
    const own = rows.filter((row) => row.seed === seed);
    return own.length === 0 ? [] : [mean(own.map(({ values }) => values[paid]))];
  });
}

/** After more partial reveals than were trained. */
export const far = (result: UnreadResult, setup: BeliefSettings, model: string) =>
  aboveOf(result, model, {
    test: "beyond",
    least: longestTrained(setup) + 1,
    most: Number.POSITIVE_INFINITY,
  });

/** Whether it pays less there than marginals with linear writes of row and column would on the same programs. */
export function belowMarginals(result: UnreadResult, setup: BeliefSettings, model: string): boolean {
  const beyond = { test: "beyond", least: longestTrained(setup) + 1, most: Number.POSITIVE_INFINITY };
  return mean(far(result, setup, model)) < mean(aboveOf(result, model, beyond, "rowColumn"));
}

/** Whether a model is nearer the exact filter there than every other one, in each seed. */
export function nearestInAll(
  result: UnreadResult,
  setup: BeliefSettings,
  model: string,
  others: readonly string[],
): boolean {
  const own = far(result, setup, model);
  return others.every(
    (other) => other === model || far(result, setup, other).every((each, i) => own[i] < each),
  );
}
