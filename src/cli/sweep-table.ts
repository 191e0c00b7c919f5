/** @file What `sweep` prints: the runs that it would begin, and the mean of each setting over its seeds. */

import type { SweepRecord } from "../app/sweep/run.ts";
import { integer } from "../core/format.ts";
import { estimate, percent, spaced } from "../report/shares.ts";
import type { Table } from "../report/text-table.ts";
import { testName } from "../schemas/test-result.ts";

interface PlannedRun {
  readonly folder: string;
  readonly steps: number;
  readonly done: number;
  readonly finished: boolean;
}

export function planTable(runs: readonly PlannedRun[]): Table {
  const states = runs.map(({ folder, steps, done, finished }) => [
    folder,
    integer(steps),
    finished ? "finished" : done > 0 ? `goes on from step ${integer(done)}` : "begins",
  ]);
  return { columns: ["run", "steps", "state"], rows: states };
}

export function sweepTable({ table }: SweepRecord): Table {
  const references = [...new Set(table.flatMap((row) => Object.keys(row.references)))];
  return {
    columns: ["setting", "test", "seeds", "all reveals", "last reveal", ...references.map(spaced)],
    rows: table.map((row) => [
      row.setting === "" ? "all" : row.setting,
      testName(row.change),
      row.seeds.length,
      ...[row.accuracy, row.accuracyLast].map((share) => (share === undefined ? "–" : estimate(share))),
      ...references.map((name) => percent(row.references[name] ?? Number.NaN)),
    ]),
  };
}
