/**
 * @file A batch taken apart, so that short examples are not computed at the length of the longest.
 *
 *     lengths          518 254 254 188 188 156 156 60        8 rows of 518 are 4,144 positions, 1,774 of them in use
 *     parts            1 x 544,  2 x 256,  4 x 192,  1 x 64  1,888 positions
 *
 * Sorted by length, rows that stand side by side form a part. Of all such divisions that one is taken for which the sum over
 * the parts of  length (rows + 1)  is least: a step in time costs each row its own and every part the same once more, whatever
 * its rows (what a recurrence over time spends on overhead is about that of one to two rows). Parts have 1, 2, 4, 8, ... rows, so
 * few graphs are made.
 */

export interface Part {
  /** Of each of its rows, the examples of the batch that stand in it, end to end. */
  readonly rows: readonly (readonly number[])[];
  /** T that holds the examples of a row. */
  readonly length: number;
}

/** What a part costs besides its rows, in rows. */
const OVERHEAD_ROWS = 1;

/**
 * @param needed the length of the example in each row.
 * @param roundUp the shortest allowed length that holds an example.
 * @returns the parts, longest first, an example in each row; rows of equal length in their order.
 */
export function partsByLength(needed: ArrayLike<number>, roundUp: (length: number) => number): Part[] {
  const sorted = Array.from(needed, (length, row) => ({ row, length })).sort(
    (a, b) => b.length - a.length || a.row - b.row,
  );
  /** The best division of the first i rows: what it costs, and where its last part begins. */
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
