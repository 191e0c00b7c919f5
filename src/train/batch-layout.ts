/**
 * @file How the examples of a step stand in the rows of its graphs.
 *
 *     padTo: stage   one part; each example has a row, as long as the longest that is possible in the stage
 *     padTo: batch   one part; each has a row, as long as the longest of its batch, in quarters of the former
 *     padTo: rows    parts of rows of like length (parts.ts)
 *     pack: N        one part of rows of N positions, each of which holds several examples end to end (packing.ts)
 */

import { fail } from "../core/error.ts";
import type { TrainConfig } from "../schemas/run-config.ts";
import { type Part, partsByLength } from "./length-buckets.ts";
import { firstFit, mostRows } from "./packing.ts";

/** Batches are filled up to a multiple of this: kernels are faster on it, and chunks come out even. */
const LENGTH_MULTIPLE = 32;
/** Lengths of a stage whose batches, or parts of batches, are as long as they must be: each needs a graph of its own. */
const MOST_LENGTHS = { stage: 1, batch: 4, rows: 32 } as const;

export interface Layout {
  /** T of the parts, ascending. */
  readonly lengths: readonly number[];
  /** B of the largest part. */
  readonly rows: number;
  /** Whether a row may hold several examples. */
  readonly packed: boolean;
  /** Whether parts may have fewer rows than that: then there are graphs of many sizes, and not one for each length. */
  readonly fewerRows: boolean;
  /** @param needed what the examples of a step need, asked for only where it matters. */
  partsOf(needed: () => ArrayLike<number>): readonly Part[];
}

/** @param longest what any example of a stage may need. `at` is named where that is too long. */
export function layoutOf(train: TrainConfig, longest: number, at: string): Layout {
  return train.pack === undefined ? padded(train, longest) : inRowsOf(train.pack, train.batch, longest, at);
}

function padded({ batch, padTo }: Pick<TrainConfig, "batch" | "padTo">, longest: number): Layout {
  const lengths = lengthsUpTo(longest, padTo);
  const most = lengths.at(-1)!; // there is one at least
  const roundUp = (needed: number) => lengths.find((each) => each >= needed)!; // the last holds every example
  // Made when it is asked for: sizes are looked at before any memory is taken.
  let known: Part["rows"] | undefined;
  const everyRow = () => {
    known ??= Array.from({ length: batch }, (_, example) => [example]);
    return known;
  };
  const longestOf = (needed: ArrayLike<number>) =>
    Array.from(needed).reduce((length, each) => Math.max(length, each), 0);
  const parts: Record<typeof padTo, Layout["partsOf"]> = {
    stage: () => [{ rows: everyRow(), length: most }],
    batch: (needed) => [{ rows: everyRow(), length: roundUp(longestOf(needed())) }],
    rows: (needed) => partsByLength(needed(), roundUp),
  };
  const way = lengths.length === 1 ? "stage" : padTo;
  return { lengths, rows: batch, packed: false, fewerRows: padTo === "rows", partsOf: parts[way] };
}

function inRowsOf(room: number, batch: number, longest: number, at: string): Layout {
  if (longest > room)
    fail("train.pack", `${longest} positions or more, for the longest session of ${at}`, room);
  return {
    ...{ lengths: [room], rows: mostRows(batch, longest, room), packed: true, fewerRows: true },
    partsOf: (needed) => [{ rows: firstFit(needed(), room), length: room }],
  };
}

/** `longest`, rounded up; in batches of their own lengths also its quarters, in parts of them whatever is a multiple. */
function lengthsUpTo(longest: number, padTo: TrainConfig["padTo"]): number[] {
  const rounded = (length: number) => Math.ceil(length / LENGTH_MULTIPLE) * LENGTH_MULTIPLE;
  const most = rounded(longest);
  const step = rounded(most / MOST_LENGTHS[padTo]);
  return Array.from({ length: Math.ceil(most / step) }, (_, i) => Math.min((i + 1) * step, most));
}
