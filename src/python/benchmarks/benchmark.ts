/** @file Interface of a published benchmark of Python functions: how its file is recognized, and its calls. */

import type { TraceFilter } from "../trace/filters.ts";

/** One call of one program. */
export interface BenchmarkCall {
  readonly id: string;
  /** The row that it is of: one function. */
  readonly program: string;
  /** The program, in the ways that are to be tried: the first that can be traced counts. */
  readonly sources: readonly string[];
  readonly call: string;
  /** The expected result, as Python text. */
  readonly expected: string;
  /** Code run before the program but not shown. */
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
  /** The rows of each split; the first is the default. */
  readonly splits: Readonly<Record<string, (program: string) => boolean>>;
  /** The published filter. */
  readonly filter: TraceFilter;
  /** Whether function names describe the function; the anonymous arm removes such names. */
  readonly tellingNames: boolean;
  /** Whether expected values have the type of the result; those of MBPP are only equal, such as 240 and 240.0. */
  readonly typedValues: boolean;
  /** `index`: of the row in its file, from 0. */
  row(value: unknown, at: string, index: number): BenchmarkRow;
}
