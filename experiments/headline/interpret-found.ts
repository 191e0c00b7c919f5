/** @file What `interpret` reads off its measurements: of each seed the model, and its heads in order of beta. */

import { mean } from "../../src/math/statistics.ts";
import { SLIGHT, tracks } from "../engine/criteria.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import { heads, NEAR_2, wholeModel } from "./interpret-heads.ts";

type Head = ReturnType<typeof heads.of>[number]["values"];
type Whole = ReturnType<typeof wholeModel.of>[number]["values"];

export interface Found {
  readonly seed: number;
  readonly model: Whole;
  readonly heads: readonly Head[];
  /** `layer.head`. */
  readonly names: readonly string[];
}

export function foundIn(result: Pick<UnreadResult, "measurements" | "seeds">): Found[] {
  return result.seeds.flatMap((seed) => {
    const own = heads.of(result, { seed }).toSorted((a, b) => Number(a.at.rank) - Number(b.at.rank));
    const [model] = wholeModel.of(result, { seed });
    if (model === undefined || own.length === 0) return [];
    return [
      {
        seed,
        model: model.values,
        heads: own.map(({ values }) => values),
        names: own.map(({ note }) => note ?? ""),
      },
    ];
  });
}

/** The larger of what is left under zeros and under means: tracking is gone without a head only where both agree. */
export const leftWithout = ({ accuracyAtZero, accuracyAtMean }: Head) =>
  Math.max(accuracyAtZero, accuracyAtMean);
/** The larger of what is lost under zeros and under means: a head is idle only where both agree. Below 0 where neither costs. */
export const lostWithout = ({ lostAtZero, lostAtMean }: Head) => Math.max(lostAtZero, lostAtMean);

export const windowed = ({ windowedBayes }: Whole) => windowedBayes ?? 0;
/** The most that silencing any other one head costs; undefined where there is no other. */
export function othersLose({ heads }: Found): number | undefined {
  return heads.length < 2 ? undefined : Math.max(...heads.slice(1).map(lostWithout));
}
/** How many components the keys of the first head need, over the mean of the others; undefined where there is no other. */
export function componentsOverOthers({ heads }: Found): number | undefined {
  const others = heads.slice(1).map(({ components99 }) => components99);
  return others.length === 0 ? undefined : heads[0].components99 / mean(others);
}

/** Nothing is left but what the last commands tell. */
export const isLost = (left: number, model: Whole) => left <= windowed(model) + SLIGHT;

/** One head near 2, tracking gone without it, and none of the others costs much when it is silenced alone. */
export const agrees = (found: Found) =>
  tracks.met(found.model.accuracy) &&
  found.heads[0].beta > NEAR_2 &&
  isLost(leftWithout(found.heads[0]), found.model) &&
  (othersLose(found) ?? 0) < SLIGHT;

/** `12`, or `11 to 13`. */
export function range(values: readonly number[], shown: (value: number) => string): string {
  if (values.length === 0) return "";
  const [low, high] = [shown(Math.min(...values)), shown(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}
