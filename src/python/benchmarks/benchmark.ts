/** @file What a published benchmark of Python functions is: how its file is recognised, and the calls that are in it. */

import type { TraceFilter } from "../trace/filters.ts";

/** One call of one program. */
export interface BenchmarkCall {
  readonly id: string;
  /** The row that it is of: one function. */
  readonly program: string;
  /** The program, in the ways that are to be tried: the first that can be traced counts. */
  readonly sources: readonly string[];
  readonly call: string;
  /** What the call should give, as Python text. */
  readonly expected: string;
  /** What stands before the program when it is run, and is not shown. */
  readonly imports?: string;
}

/** A row whose asserts are no calls with a value has reasons instead. */
export interface BenchmarkRow {
  readonly program: string;
  readonly calls: readonly BenchmarkCall[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
}

export interface Benchmark {
  readonly name: string;
  /** The name of its file, as published. */
  readonly file: string;
  readonly sha256: string;
  readonly url: string;
  readonly license: string;
  readonly source: string;
  /** Which rows are in a split; the first is the default. */
  readonly splits: Readonly<Record<string, (program: string) => boolean>>;
  /** The published filter. */
  readonly filter: TraceFilter;
  /** Whether functions are called after what they do: an anonymous arm takes that away. */
  readonly tellingNames: boolean;
  /** Whether expected values are of the type that the program gives; those of MBPP are only equal, as 240 and 240.0. */
  readonly typedValues: boolean;
  /** `index`: of the row in its file, from 0. */
  row(value: unknown, at: string, index: number): BenchmarkRow;
}
