/**
 * @file Draws trials from a declared space.
 *
 *     trial i is a function of (space, seed, i): more trials change none of those before them, and each key has a stream of its
 *     own, so that one more key leaves what the others draw
 */

import { fail } from "../../core/error.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import { isRange, type Range, type SearchSpace } from "../../schemas/search-space.ts";

export interface DrawnTrial {
  /** For people: numbers, values, or the names of choices. */
  readonly drawn: Readonly<Record<string, unknown>>;
  /** By key, for the configuration. */
  readonly changes: Readonly<Record<string, unknown>>;
}

/** @throws LabError for a range whose ends do not fit, or a key that the search sets itself. */
export function drawTrials({ space }: SearchSpace, count: number, seed: number): DrawnTrial[] {
  for (const [key, values] of Object.entries(space)) check(key, values);
  const stream = rngFrom(seed).fork("search");
  return Array.from({ length: count }, (_, i) => {
    const drawn = Object.entries(space).map(([key, values]) => ({
      key,
      ...drawOne(values, stream.fork(i).fork(key)),
    }));
    return {
      drawn: Object.fromEntries(drawn.map(({ key, shown }) => [key, shown])),
      changes: Object.fromEntries(drawn.map(({ key, value }) => [key, value])),
    };
  });
}

type Values = SearchSpace["space"][string];

function drawOne(values: Values, rng: Rng): { shown: unknown; value: unknown } {
  if (isRange(values)) {
    const value = drawNumber(values, rng);
    return { shown: value, value };
  }
  if (Array.isArray(values)) {
    const value: unknown = values[rng.below(values.length)];
    return { shown: value, value };
  }
  const names = Object.keys(values);
  const name = names[rng.below(names.length)];
  return { shown: name, value: (values as Readonly<Record<string, unknown>>)[name] };
}

/** To three digits: what is read in a table is what was run. */
function drawNumber({ from, to, scale, whole }: Range, rng: Rng): number {
  const share = rng.next();
  const value =
    scale === "log"
      ? Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)))
      : from + share * (to - from);
  return whole ? Math.round(value) : Number(value.toPrecision(3));
}

function check(key: string, values: Values): void {
  const at = `space.${key}`;
  if (key === "seed" || key === "train.steps") {
    const hint = key === "seed" ? "Name it by --seed" : "Its steps follow from programs and batch";
    fail(at, "a setting that the search leaves alone", key, hint);
  }
  if (!isRange(values)) {
    if (!Array.isArray(values) && Object.keys(values).length === 0) fail(at, "at least one choice", "none");
    return;
  }
  if (values.from > values.to) fail(at, "from to be at most to", `${values.from} and ${values.to}`);
  if (values.scale === "log" && values.from <= 0) fail(at, "from above 0 on a log scale", values.from);
}
