/**
 * @file The published benchmarks of Python functions, by name. The files are not included. To add one: write its
 * file, its test, and one line here.
 */

import { fail } from "../../core/error.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import { cruxeval } from "./cruxeval.ts";
import { mbpp } from "./mbpp.ts";

export type { Benchmark, BenchmarkCall, BenchmarkRow } from "./benchmark.ts";

export const benchmarks = { cruxeval, mbpp };
export type BenchmarkName = keyof typeof benchmarks;
export const benchmarkNames = Object.keys(benchmarks) as BenchmarkName[]; // the keys of the object above

/** Every row of a file of JSON lines. @throws LabError (corrupt) naming the line. */
export function benchmarkRows(benchmark: Benchmark, text: string, at: string): BenchmarkRow[] {
  const lines = text.split("\n").map((line, i) => ({ line, where: `${at}, line ${i + 1}` }));
  return lines
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, where }, index) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return fail(where, "a JSON record", line.slice(0, 60), undefined, "corrupt");
      }
      return benchmark.row(value, where, index);
    });
}
