/** @file What `sweep` prints: the runs that it would begin, and the mean of each setting over its seeds. */

import type { Estimated, Interval } from "../analysis/seeds.ts";
import type { Table } from "../report/text-table.ts";
import { testName } from "../work/run/tests.ts";
import type { SweepRecord } from "../work/sweep/run.ts";
import { grouped } from "./progress.ts";

interface PlannedRun {
  readonly folder: string;
  readonly steps: number;
  readonly done: number;
  readonly finished: boolean;
}

export function planTable(runs: readonly PlannedRun[]): Table {
  const states = runs.map(({ folder, steps, done, finished }) => [
    folder,
    grouped(steps),
    finished ? "finished" : done > 0 ? `goes on from step ${grouped(done)}` : "begins",
  ]);
  return { columns: ["run", "steps", "state"], rows: states };
}

export function sweepTable({ table }: SweepRecord): Table {
  const references = Object.keys(table[0]?.references ?? {});
  return {
    columns: ["setting", "test", "seeds", "all reveals", "last reveal", ...references.map(spaced)],
    rows: table.map((row) => [
      row.setting === "" ? "all" : row.setting,
      testName(row.change),
      row.seeds.length,
      estimate(row.accuracy),
      estimate(row.accuracyLast),
      ...references.map((name) => percent(row.references[name])),
    ]),
  };
}

/** `windowedBayesWithoutBoundary` is "windowed Bayes without boundary". */
function spaced(name: string): string {
  return name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .replaceAll(/ (?!Bayes)[A-Z]/g, (part) => part.toLowerCase());
}

/** `97.1 % [93.0, 99.8]`. */
export function estimate({ mean, interval }: Estimated): string {
  return interval === undefined ? percent(mean) : `${percent(mean)} ${brackets(interval)}`;
}

/** NaN where nothing could be asked. */
export function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${(100 * share).toFixed(1)} %`;
}

/** Points of a hundred. */
export function brackets([low, high]: Interval): string {
  return `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}
