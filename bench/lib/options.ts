/** @file Options of every benchmark. */

export interface BenchOptions {
  /** Print one JSON document on stdout and nothing else there. */
  readonly json: boolean;
  readonly signal: AbortSignal;
}
