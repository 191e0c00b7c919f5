/**
 * @file What `train.padTo: batch` saves where programs vary in length.
 *
 *     statelab bench padding
 *
 * Two trainers of the same run, one with `padTo: stage`, one with `padTo: batch`, take turns. Steps differ in length, so
 * the ratio is of the sums.
 */

import { mean } from "../src/math/statistics.ts";
import { RunConfig } from "../src/records/run.ts";
import { textTable } from "../src/report/text-table.ts";
import type { BenchOptions } from "./index.ts";
import { timesOfSteps } from "./turns.ts";

export interface PaddingRow {
  readonly programs: string;
  readonly model: string;
  /** Mean milliseconds of a step. */
  readonly stage: number;
  readonly batch: number;
  /** stage / batch: how many times faster. */
  readonly ratio: number;
}

export interface PaddingSizes {
  readonly width: number;
  readonly batch: number;
  readonly steps: number;
  readonly warmUp: number;
}

const SIZES: PaddingSizes = { width: 64, batch: 16, steps: 60, warmUp: 15 };
const MODELS = ["transformer", "deltanet"];
export const PROGRAMS: Readonly<Record<string, Record<string, unknown>>> = {
  "arithmetic, 1 to 6 expressions": {
    task: { name: "arithmetic-program", length: [1, 6], digits: 1 },
    stateSupervision: { head: "decoder", state: "changed" },
  },
  "parity, 2 to 64 lines": { task: { name: "parity-program", length: [2, 64] } },
};

export async function run({ json, signal }: BenchOptions): Promise<readonly PaddingRow[]> {
  const rows: PaddingRow[] = [];
  for (const programs of Object.keys(PROGRAMS)) {
    for (const model of MODELS) {
      if (signal.aborted) break;
      rows.push(await measure(programs, model, SIZES, signal));
    }
  }
  const cells = rows.map(({ programs, model, stage, batch, ratio }) => [
    programs,
    model,
    stage.toFixed(1),
    batch.toFixed(1),
    ratio.toFixed(2),
  ]);
  const columns = ["programs", "model", "ms a step, padTo: stage", "batch", "times faster"];
  console.log(
    json
      ? JSON.stringify({ version: 1, benchmark: "padding", rows }, null, 2)
      : textTable({ columns, rows: cells }),
  );
  return rows;
}

export async function measure(
  programs: string,
  model: string,
  { width, batch: rows, steps, warmUp }: PaddingSizes,
  signal: AbortSignal,
): Promise<PaddingRow> {
  const configs = ["stage", "batch"].map((padTo) =>
    RunConfig.parse({
      ...PROGRAMS[programs],
      model: { name: model, layers: 2, width },
      train: { steps: warmUp + steps, batch: rows, padTo },
    }),
  );
  const [stage, batch] = (await timesOfSteps(configs, warmUp, signal)).map(mean);
  return { programs, model, stage, batch, ratio: stage / batch };
}
