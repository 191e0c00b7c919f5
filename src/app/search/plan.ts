/**
 * @file Plans a search: draws the trials, and validates the configuration of each. Writes nothing.
 *
 *     trial i is a function of (space, seed, i), and each key has its own random stream: neither more trials nor a further key
 *     changes the other values
 */

import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import { cooperativeTurns, itemsInTurns } from "../../core/rotations.ts";
import { parseWith } from "../../core/settings.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { isRange, type Range, type SearchSpace } from "../../schemas/search-space.ts";
import { withChanges } from "../grid.ts";
import { readConfigFile } from "../run/config.ts";
import { resolve } from "../run/resolve.ts";

/** Results use other seeds by default, so that a recipe is tested on seeds that did not select it. */
const SEARCH_SEED = 1000;

export interface SearchRequest {
  readonly file: string;
  /** Values of --set. */
  readonly settings: readonly string[];
  readonly space: SearchSpace;
  readonly trials: number;
  readonly method: "random" | "halving";
  readonly seed: number;
  readonly folder: string;
}

export interface PlannedTrial extends DrawnTrial {
  readonly trial: number;
  readonly folder: string;
  readonly config: RunConfig;
  /** As it is written, with the model's defaults filled in. */
  readonly written: object;
}

/** @throws LabError for a space with a trial that cannot work, naming what was drawn. */
export async function planSearch(request: SearchRequest, signal?: AbortSignal): Promise<PlannedTrial[]> {
  const { space, trials, seed, folder } = request;
  const planned: PlannedTrial[] = [];
  const drawnTrials = drawTrials(space, trials, seed).entries();
  for await (const [trial, drawn] of itemsInTurns(drawnTrials, cooperativeTurns(signal))) {
    const { config, written } = await configOf(request, drawn);
    planned.push({
      ...drawn,
      ...{ trial, config, written },
      folder: join(folder, `trial-${String(trial).padStart(3, "0")}`),
    });
  }
  return planned;
}

const configOf = ({ file, settings, space, seed }: SearchRequest, { changes }: DrawnTrial) =>
  withChanges(changes, async (changed) => {
    const own = { task: undefined, model: undefined };
    const all = ["threads=1", ...settings, ...changed, `seed=${SEARCH_SEED + seed}`];
    const drawn = readConfigFile(file, all, own);
    const steps = Math.max(1, Math.ceil(space.programs / drawn.train.batch));
    const config = parseWith(RunConfig, { ...drawn, train: { ...drawn.train, steps } }, file);
    const { written, data } = await resolve(config, file);
    if (space.score === "likelihood" && data.prepared.posterior === undefined)
      fail("score", "accuracy, for a task without hidden randomness", space.score);
    return { config, written };
  });

interface DrawnTrial {
  /** For display: numbers, values or names of choices. */
  readonly drawn: Readonly<Record<string, unknown>>;
  /** By key of the configuration. */
  readonly changes: Readonly<Record<string, unknown>>;
}

/** @throws LabError for an invalid range, or a key that the search sets itself. */
export function drawTrials({ space }: SearchSpace, count: number, seed: number): DrawnTrial[] {
  for (const [key, values] of Object.entries(space)) refuseInvalid(key, values);
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

/** Rounded to three digits, so that a table shows the exact value. */
function drawNumber({ from, to, scale, whole }: Range, rng: Rng): number {
  const share = rng.next();
  const value =
    scale === "log"
      ? Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)))
      : from + share * (to - from);
  return whole ? Math.round(value) : Number(value.toPrecision(3));
}

function refuseInvalid(key: string, values: Values): void {
  const at = `space.${key}`;
  if (key === "seed" || key === "train.steps") {
    const hint = key === "seed" ? "Name it by --seed" : "Its steps follow from programs and batch";
    fail(at, "a setting that a search may vary", key, hint);
  }
  if (!isRange(values)) {
    if (!Array.isArray(values) && Object.keys(values).length === 0) fail(at, "at least one choice", "none");
    return;
  }
  if (values.from > values.to) fail(at, "from to be at most to", `${values.from} and ${values.to}`);
  if (values.scale === "log" && values.from <= 0) fail(at, "from above 0 on a log scale", values.from);
}
