/**
 * @file Progress of a training after some time, with a checkpoint after each `every` seconds of work, and at its end.
 *
 *     length 25, every 10, save 2      |1..........10 ss 11.........20 ss 21...25 ss|     31 seconds, from the start
 *     after 23 seconds: 19 computed, 10 saved, 2 of saving
 *
 * Checkpoint positions count from the start of the run, whatever the attempt.
 */

export interface Stretch {
  /** Work already saved, and the total; in seconds at speed 1. */
  readonly from: number;
  readonly length: number;
  /** Work between two checkpoints; undefined: only one at the end. */
  readonly every: number | undefined;
  /** Duration of a checkpoint. */
  readonly save: number;
  readonly speed: number;
}

const slack = 1e-9;

/** Complete intervals before `work`. */
const intervals = (work: number, every: number) => Math.floor(work / every + slack);

/** Checkpoints after `from`, including the one at the end. */
export function checkpoints({ from, length, every }: Stretch): number {
  if (from >= length - slack) return 0;
  if (every === undefined) return 1;
  return Math.ceil(length / every - slack) - intervals(from, every);
}

/** Time until all is computed and saved. */
export function secondsFor(stretch: Stretch): number {
  const { from, length, save, speed } = stretch;
  return Math.max(0, length - from) / speed + checkpoints(stretch) * save;
}

export function reachedAfter(seconds: number, stretch: Stretch) {
  const { from, length, every = length, save, speed } = stretch;
  const count = checkpoints(stretch);
  const whole = intervals(from, every);
  const boundary = (k: number) => (k === 0 ? from : k >= count ? length : (whole + k) * every);
  /** Time when checkpoint k is completed. */
  const finished = (k: number) => (boundary(k) - from) / speed + k * save;
  const later = (seconds - finished(Math.min(1, count))) / (every / speed + save);
  let k = count === 0 || seconds < finished(1) - slack ? 0 : Math.min(count, 1 + Math.floor(later + slack));
  // The last interval may be shorter.
  if (k === count - 1 && k > 0 && seconds >= finished(count) - slack) k = count;
  const saved = boundary(k);
  const next = k >= count ? length : boundary(k + 1);
  const computed = Math.min(next, saved + Math.max(0, seconds - finished(k)) * speed);
  // `saving`: seconds in completed checkpoints.
  return { computed, saved, saving: k * save };
}
