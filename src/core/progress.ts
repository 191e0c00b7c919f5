/** @file Progress of long work: the parts that generators yield, and the display of jobs. */

export interface PartsDone {
  readonly done: number;
  readonly of: number;
}

/*
 * Progress of jobs, one line a job. The command line draws it (cli/lib/progress.ts); library callers pass their own, or `silent`.
 */

export interface JobStatus {
  readonly step: number;
  readonly steps: number;
  readonly loss?: number | undefined;
  /** In [0, 1]. */
  readonly accuracy?: number | undefined;
  readonly tokensPerSecond?: number | undefined;
  /** The caller's own estimate; by default elapsed time extrapolated linearly. */
  readonly secondsLeft?: number | undefined;
  /** A short note: "spacing 4". */
  readonly note?: string | undefined;
}

export interface ProgressDisplay {
  /** Sets the job's line. The first call starts the job's clock. */
  update(job: string, status: JobStatus): void;
  /** Ends the job: its line is replaced by these words. */
  end(job: string, words: string): void;
  /** Writes a line above the progress. */
  say(text: string): void;
  /** Removes the lines of jobs that have not ended. */
  close(): void;
}

/** Displays nothing. */
export const silent: ProgressDisplay = { update() {}, end() {}, say() {}, close() {} };
