/**
 * @file Downsampling of a long series for drawing: each bucket has its minimum and maximum, so no peak is lost.
 *
 *     5 4 9 3 | 2 2 8 1 | 1 1 0        ->  [[1, 3, 9], [5, 1, 8], [9, 0, 1]]      first step, least, greatest
 */

/** [first step, least, greatest] of one part. */
export type Part = readonly [step: number, least: number, greatest: number];

/** At most `parts` parts of equal length. Values that are no numbers (a loss that diverged) are left out. */
export function envelope(steps: ArrayLike<number>, values: ArrayLike<number>, parts: number): Part[] {
  const length = Math.max(1, Math.ceil(values.length / parts));
  const found: Part[] = [];
  for (let from = 0; from < values.length; from += length) {
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = from; i < Math.min(values.length, from + length); i++) {
      const value = values[i];
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    if (least <= greatest) found.push([steps[from], least, greatest]);
  }
  return found;
}
