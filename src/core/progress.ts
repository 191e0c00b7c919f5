/** @file How far long work is: what its generators yield between two parts of it. */

export interface PartsDone {
  readonly done: number;
  readonly of: number;
}

/*
 * How long work tells how far it is: one line a job. The command line draws it (cli/progress.ts); a library's caller
 * hands in what it likes, or `silent`.
 */

export interface JobStatus {
  readonly step: number;
  readonly steps: number;
  readonly loss?: number | undefined;
  /** In [0, 1]. */
  readonly accuracy?: number | undefined;
  readonly tokensPerSecond?: number | undefined;
  /** The caller's own estimate; by default the time so far times what is left over what is done. */
  readonly secondsLeft?: number | undefined;
  /** A few words more: "spacing 4". */
  readonly note?: string | undefined;
}

export interface ProgressDisplay {
  /** The job's line is now this. The first call begins the job's clock. */
  update(job: string, status: JobStatus): void;
  /** The job has ended: its line is replaced by these words, for good. */
  end(job: string, words: string): void;
  /** Writes a line above the progress. */
  say(text: string): void;
  /** Removes the lines of jobs that have not ended. */
  close(): void;
}

/** Shows nothing. */
export const silent: ProgressDisplay = { update() {}, end() {}, say() {}, close() {} };
