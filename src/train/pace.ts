/**
 * @file Decides by measurement whether worker threads compute parts of a step: on a busy machine, or for small models, one thread is
 * faster. The result of a step is the same either way.
 *
 *     step     1 ............... 96   97 .. 100   101 ...
 *     way      the faster one         the other   the faster one of the last three steps of each
 */

/** Steps from one trial to the next; the first trial is early. */
const EVERY = 100;
const FIRST = 12;
/** Steps of a trial. Its first step may compile graphs and does not count. */
const TRIAL = 4;

export interface Pace {
  /** Whether the next step uses worker threads. */
  together(): boolean;
  /** Milliseconds of that step. */
  took(milliseconds: number): void;
}

export function paceOf(): Pace {
  const recent: Record<"together" | "alone", number[]> = { together: [], alone: [] };
  let usual: keyof typeof recent = "together";
  let untilTrial = FIRST;
  const other = () => (usual === "together" ? "alone" : "together");
  const now = () => (untilTrial > 0 ? usual : other());
  return {
    together: () => now() === "together",
    took(milliseconds) {
      recent[now()] = [...recent[now()], milliseconds].slice(1 - TRIAL);
      untilTrial--;
      if (untilTrial > -TRIAL) return;
      if (median(recent[other()]) < median(recent[usual])) usual = other();
      untilTrial = EVERY - TRIAL;
    },
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
