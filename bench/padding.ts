/**
 * @file What `train.padding: longest` and `rows`, and `train.packedLength`, save where programs vary in length.
 *
 *     npm run bench -- padding
 *
 * Trainers of the same run, each with its own layout, take turns. Steps differ in length, so the ratios are of the sums.
 */

import { mean } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import { RunConfig } from "../src/schemas/run-config.ts";
import type { BenchOptions } from "./lib/interleave.ts";
import { timesOfSteps } from "./lib/interleave.ts";

export interface PaddingRow {
  readonly programs: string;
  readonly model: string;
  /** Mean milliseconds of a step; `rows` and `pack` where the loss of a batch follows from those of its parts. */
  readonly stage: number;
  readonly batch: number;
  readonly rows?: number;
  /** In rows of `train.packedLength` positions, at least as many as the longest program may need. */
  readonly pack?: number;
}

export interface PaddingSizes {
  readonly width: number;
  readonly batch: number;
  readonly steps: number;
  readonly warmUp: number;
}

const SIZES: PaddingSizes = { width: 64, batch: 16, steps: 60, warmUp: 15 };
const MODELS = ["transformer", "deltanet", "lstm"];
/** Positions of a packed row: the longest program of each set has room. */
const PACK = 544;
export const PROGRAMS: Readonly<Record<string, Record<string, unknown>>> = {
  "arithmetic, 1 to 6 expressions": {
    task: { name: "arithmetic-program", length: [1, 6], digits: 1 },
    stateSupervision: { head: "decoder", state: "changed" },
  },
  "parity, 2 to 64 lines": { task: { name: "parity-program", length: [2, 64] } },
  "12 commands, full reveals or one each 1 to 12": {
    task: { name: "repl", variables: 3, commands: 12 },
    curriculum: {
      stages: [[{ spacing: 1, reveal: "full" }, ...[1, 2, 4, 12, 12, 12].map((spacing) => ({ spacing }))]],
    },
  },
};

export async function run({ json, signal }: BenchOptions): Promise<readonly PaddingRow[]> {
  const rows: PaddingRow[] = [];
  for (const programs of Object.keys(PROGRAMS)) {
    for (const model of MODELS) {
      if (signal.aborted) break;
      rows.push(await measure(programs, model, SIZES, signal));
    }
  }
  const cells = rows.map(({ programs, model, stage, batch, rows, pack }) => {
    const others = [batch, rows, pack].map((each) =>
      each === undefined ? "-" : `${each.toFixed(1)} (${(stage / each).toFixed(2)})`,
    );
    return [programs, model, stage.toFixed(1), ...others];
  });
  const columns = [
    "programs",
    "model",
    "ms a step, padding: max",
    "batch (times faster)",
    "rows (times faster)",
    `packedLength: ${PACK} (times faster)`,
  ];
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
  const whole = [{ padding: "max" }, { padding: "longest" }];
  const ways =
    "stateSupervision" in PROGRAMS[programs]
      ? whole
      : [...whole, { padding: "bucket" }, { packedLength: PACK }];
  const configs = ways.map((way) =>
    RunConfig.parse({
      ...PROGRAMS[programs],
      model: { name: model, layers: 2, width },
      train: { steps: warmUp + steps, batch: rows, ...way },
    }),
  );
  const [stage, batch, inParts, packed] = (await timesOfSteps(configs, warmUp, signal)).map(mean);
  return { programs, model, stage, batch, ...(inParts !== undefined && { rows: inParts, pack: packed }) };
}
