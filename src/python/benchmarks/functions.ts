/**
 * @file Functions without a published checksum, known by the layout of their rows: the user's own, and two published sets.
 *
 *     functions        any layout of layouts.ts whose rows have their calls, or the user's columns by `columns.ts`
 *     livecodebench    the execution split of LiveCodeBench
 *     reval            REval's functions; its classes are tested by methods, and are left out with that reason
 *
 * Values are compared as Python does: these sets do, and a column of numbers does not say whether 1.0 or 1 was meant.
 */

import { fail } from "../../core/error.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import { benchmarkRow, functionRow, type LayoutName } from "./layouts.ts";

type FunctionSet = Omit<Benchmark, "file" | "sha256" | "url" | "license"> & { readonly hint: string };

const set = (name: string, only: LayoutName | undefined, source: string, hint: string): FunctionSet => ({
  ...{ name, source, hint, splits: { test: () => true }, filter: {}, tellingNames: true, typedValues: false },
  row(value, at, index): BenchmarkRow {
    const row = functionRow(value, index, at, only);
    if (row.calls === undefined && row.tests === undefined)
      fail(
        at,
        "a row with its calls",
        Object.keys(Object(value)).slice(0, 8).join(", "),
        "Say which columns hold them: --columns code=...,input=...,output=...",
      );
    const left = row.calls === undefined ? [{ reason: "its calls stand in a test, not in a field" }] : [];
    return benchmarkRow(row, row.calls ?? [], left);
  },
});

export const functionSets = {
  functions: set("functions", undefined, "yours", "A file of rows; docs/asking.md lists the fields"),
  livecodebench: set(
    "livecodebench",
    "LiveCodeBench",
    "Jain et al. 2024, arXiv:2403.07974",
    "The file of livecodebench/execution-v2 as JSON lines or Parquet",
  ),
  reval: set(
    "reval",
    "REval",
    "Chen et al. 2024, arXiv:2403.16437",
    "DREval_data.jsonl, or the problems of JetBrains-Research/REval",
  ),
};

/** Adds a number to the names of programs after the first with the same name. */
export function distinctPrograms(rows: readonly BenchmarkRow[]): readonly BenchmarkRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const times = (seen.get(row.program) ?? 0) + 1;
    seen.set(row.program, times);
    if (times === 1) return row;
    const program = `${row.program}#${times}`;
    const named = <Part extends { readonly id: string }>(part: Part) => ({
      ...part,
      id: program + part.id.slice(row.program.length),
    });
    return {
      program,
      calls: row.calls.map((call) => ({ ...named(call), program })),
      unreadable: row.unreadable.map(named),
    };
  });
}
