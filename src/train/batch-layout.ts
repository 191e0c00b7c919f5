/**
 * @file How the examples of a step are laid out in the rows of its graphs.
 *
 *     padding: max   one part; each example has a row, with the greatest length of the stage
 *     padding: longest   one part; each has a row, with the greatest length of its batch, in quarters of the former
 *     padding: bucket    parts of rows with similar length
 *     packedLength: N    one part of rows of N positions, each with several examples end to end
 *
 * Parts of similar length: rows are sorted by length, and neighbors form a part.
 *
 *     lengths          518 254 254 188 188 156 156 60        8 rows of 518 are 4,144 positions, 1,774 of them in use
 *     parts            1 x 544,  2 x 256,  4 x 192,  1 x 64  1,888 positions
 *
 * The division minimizes the sum over the parts of  length (rows + 1):  a step in time costs one unit for each row and one for the
 * part (the overhead of a recurrence over time is about that of one to two rows). Parts have 1, 2, 4, 8, ... rows, so there are
 * few graphs.
 *
 * Packing: first fit in the order of the draws, each example into the first row with room for it.
 *
 *     lengths      5 3 4 2 6        in rows of 9
 *     first fit    5 3 | 4 2 | 6    the 2 does not fit into the first row, which has one position left
 *
 * A row is skipped only if it has less room than the longest example L, so all rows but the last have floor(N / L) examples or more,
 * and there are at most ceil(B / floor(N / L)) rows. Source: Johnson 1973, Near-optimal bin packing algorithms; separation of packed
 * sessions: Lu et al. 2023, arXiv:2303.03982.
 */

import { fail } from "../core/error.ts";
import type { TrainConfig } from "../schemas/run-config.ts";

/** Lengths are padded to a multiple of this: kernels are faster, and chunks are whole. */
const LENGTH_MULTIPLE = 32;
/** Most lengths of a stage: each needs another graph. */
const MOST_LENGTHS = { max: 1, longest: 4, bucket: 32 } as const;

export interface Layout {
  /** T of the parts, ascending. */
  readonly lengths: readonly number[];
  /** B of the largest part. */
  readonly rows: number;
  /** Tokens of a row that are computed at once, fewer than T with `train.truncatedLength`. */
  readonly pieceLength: number;
  /** Whether a row may hold several examples. */
  readonly packed: boolean;
  /** Whether parts may have fewer rows: then there are more graphs than lengths. */
  readonly fewerRows: boolean;
  /** @param needed the lengths of the examples of a step, called only if they matter. */
  partsFor(needed: () => ArrayLike<number>): readonly Part[];
}

/** @param longest greatest length of an example of the stage. `at` is named in errors. */
export function batchLayout(train: TrainConfig, longest: number, at: string): Layout {
  const { packedLength, truncatedLength = Number.POSITIVE_INFINITY } = train;
  const layout =
    packedLength === undefined ? padded(train, longest) : inRowsOf(packedLength, train.batch, longest, at);
  return { ...layout, pieceLength: Math.min(truncatedLength, ...layout.lengths.slice(-1)) };
}

function padded(
  { batch, padding }: Pick<TrainConfig, "batch" | "padding">,
  longest: number,
): Omit<Layout, "pieceLength"> {
  const lengths = lengthsUpTo(longest, padding);
  const most = lengths.at(-1)!; // not empty
  const roundUp = (needed: number) => lengths.find((each) => each >= needed)!; // the last fits every example
  // Lazy: sizes are checked before any memory is allocated.
  let known: Part["rows"] | undefined;
  const everyRow = () => {
    known ??= Array.from({ length: batch }, (_, example) => [example]);
    return known;
  };
  const longestOf = (needed: ArrayLike<number>) =>
    Array.from(needed).reduce((length, each) => Math.max(length, each), 0);
  const parts: Record<typeof padding, Layout["partsFor"]> = {
    max: () => [{ rows: everyRow(), length: most }],
    longest: (needed) => [{ rows: everyRow(), length: roundUp(longestOf(needed())) }],
    bucket: (needed) => partsByLength(needed(), roundUp),
  };
  const way = lengths.length === 1 ? "max" : padding;
  return { lengths, rows: batch, packed: false, fewerRows: padding === "bucket", partsFor: parts[way] };
}

function inRowsOf(room: number, batch: number, longest: number, at: string): Omit<Layout, "pieceLength"> {
  if (longest > room)
    fail("train.packedLength", `${longest} positions or more, for the longest session of ${at}`, room);
  return {
    ...{ lengths: [room], rows: mostRows(batch, longest, room), packed: true, fewerRows: true },
    partsFor: (needed) => [{ rows: firstFit(needed(), room), length: room }],
  };
}

/** `longest` rounded up; for `longest` also its quarters, for `bucket` all multiples of the step. */
function lengthsUpTo(longest: number, padding: TrainConfig["padding"]): number[] {
  const rounded = (length: number) => Math.ceil(length / LENGTH_MULTIPLE) * LENGTH_MULTIPLE;
  const most = rounded(longest);
  const step = rounded(most / MOST_LENGTHS[padding]);
  return Array.from({ length: Math.ceil(most / step) }, (_, i) => Math.min((i + 1) * step, most));
}

export interface Part {
  /** For each row, its examples end to end, as indices into the batch. */
  readonly rows: readonly (readonly number[])[];
  /** T that fits the examples of a row. */
  readonly length: number;
}

/** Fixed cost of a part, in rows. */
const OVERHEAD_ROWS = 1;

/**
 * @param needed the length of the example in each row.
 * @param roundUp the shortest allowed length that fits an example.
 * @returns the parts, longest first, with one example in each row; rows of equal length keep their order.
 */
export function partsByLength(needed: ArrayLike<number>, roundUp: (length: number) => number): Part[] {
  const sorted = Array.from(needed, (length, row) => ({ row, length })).sort(
    (a, b) => b.length - a.length || a.row - b.row,
  );
  /** The best division of the first i rows: its cost, and the start of its last part. */
  const best: { readonly cost: number; readonly start: number }[] = [{ cost: 0, start: 0 }];
  for (let end = 1; end <= sorted.length; end++) {
    let found = { cost: Number.POSITIVE_INFINITY, start: end };
    for (let rows = 1; rows <= end; rows *= 2) {
      const start = end - rows;
      const cost = best[start].cost + roundUp(sorted[start].length) * (rows + OVERHEAD_ROWS);
      if (cost < found.cost) found = { cost, start };
    }
    best[end] = found;
  }
  const parts: Part[] = [];
  for (let end = sorted.length; end > 0; end = best[end].start) {
    const chosen = sorted.slice(best[end].start, end);
    parts.unshift({ rows: chosen.map(({ row }) => [row]), length: roundUp(chosen[0].length) });
  }
  return parts;
}

/** The sessions of each row, in order. None is longer than `room`. */
export function firstFit(lengths: ArrayLike<number>, room: number): number[][] {
  const rows: { readonly sessions: number[]; left: number }[] = [];
  for (let session = 0; session < lengths.length; session++) {
    let row = rows.find(({ left }) => left >= lengths[session]);
    if (row === undefined) {
      row = { sessions: [], left: room };
      rows.push(row);
    }
    row.sessions.push(session);
    row.left -= lengths[session];
  }
  return rows.map(({ sessions }) => sessions);
}

/** Upper bound of the rows for sessions of at most `longest` positions. */
export function mostRows(sessions: number, longest: number, room: number): number {
  return Math.ceil(sessions / Math.floor(room / Math.max(1, longest)));
}

/** A part as several of nearly as many rows: `shares`, or one for each row. */
export function divided({ rows, length }: Part, shares: number): Part[] {
  const count = Math.min(shares, rows.length);
  const start = (i: number) => Math.floor((i * rows.length) / count);
  return Array.from({ length: count }, (_, i) => ({ rows: rows.slice(start(i), start(i + 1)), length }));
}

/** Rows of the largest part of `divided`. */
export const largestOf = (rows: number, shares: number) => Math.ceil(rows / Math.min(shares, rows));
