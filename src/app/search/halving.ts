/**
 * @file Successive halving: many trials for a short time, the best of them for longer.
 *
 *     rung      programs        trials of 27, keep 3
 *     0         1/9             27
 *     1         1/3              9      the 9 with the best scores at rung 0
 *     2         all              3
 *
 * A rung begins when the one before it has ended, and ties go to the lower number: which trials go on is a function of the
 * scores, whatever was interrupted or ended first.
 *
 * Source: Jamieson and Talwalkar 2016, arXiv:1502.07943; the rungs are those of ASHA (Li et al. 2020, arXiv:1810.05934), which
 * promotes as soon as it can and so depends on who ends first.
 */

export interface Rungs {
  /** What a trial is trained on in all. */
  readonly programs: number;
  readonly rungs: number;
  readonly keep: number;
}

/** Programs after which each rung ends, ascending; the last is all of them. */
export function rungPrograms({ programs, rungs, keep }: Rungs): number[] {
  return Array.from({ length: rungs }, (_, rung) =>
    Math.max(1, Math.round(programs / keep ** (rungs - 1 - rung))),
  );
}

/** The trials that go on from a rung, by their scores there (undefined: failed); at least one, if any has a score. */
export function promoted(scores: ReadonlyMap<number, number | undefined>, keep: number): number[] {
  const ranked = [...scores]
    .flatMap(([trial, score]) => (score === undefined ? [] : [{ trial, score }]))
    .sort((a, b) => b.score - a.score || a.trial - b.trial);
  const count = Math.max(1, Math.floor(scores.size / keep));
  return ranked
    .slice(0, count)
    .map(({ trial }) => trial)
    .sort((a, b) => a - b);
}
