/**
 * @file Decides by measurement whether worker threads compute parts of a step: on a busy machine, or for small models, one thread is
 * faster. The result of a step is the same either way.
 *
 *     steps 1 to 12     with worker threads
 *     then 4 steps      without; the first does not count
 *     then 96 steps     whichever was faster, by the median of its last three steps; and so on
 */

/** Steps from one trial to the next; the first trial is early. */
const EVERY = 100;
const FIRST = 12;
/** Steps of a trial. Its first step may compile graphs and does not count. */
const TRIAL = 4;

export interface ThreadChoice {
  /** Whether the next step uses worker threads. */
  useWorkers(): boolean;
  /** Milliseconds of that step. */
  took(milliseconds: number): void;
}

export function threadChoice(): ThreadChoice {
  const recent: Record<"together" | "alone", number[]> = { together: [], alone: [] };
  let usual: keyof typeof recent = "together";
  let untilTrial = FIRST;
  const other = () => (usual === "together" ? "alone" : "together");
  const now = () => (untilTrial > 0 ? usual : other());
  return {
    useWorkers: () => now() === "together",
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
