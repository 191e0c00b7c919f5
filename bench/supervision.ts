/**
 * @file What state supervision adds to a training step.
 *
 *     npm run bench -- supervision
 *
 * Four trainers of one model, without supervision and with each head, take turns; a ratio is of their medians. Programs
 * of 28 swaps in a list of four: 244 tokens, and a state of four numbers after each of 29 lines. Target: at most 1.30 for
 * the linear head at d = 128.
 */

import { median } from "../src/core/statistics.ts";
import { textTable } from "../src/report/text-table.ts";
import { RunConfig } from "../src/schemas/run-config.ts";
import type { BenchOptions } from "./lib/interleave.ts";
import { timesOfSteps } from "./lib/interleave.ts";

export interface SupervisionRow {
  readonly model: string;
  readonly width: number;
  /** `none`: without supervision. */
  readonly head: string;
  /** Median milliseconds of a step. */
  readonly milliseconds: number;
  /** Over the median without supervision. */
  readonly ratio: number;
}

export interface SupervisionSizes {
  readonly widths: readonly number[];
  readonly swaps: number;
  readonly batch: number;
  /** Steps of each trainer that count, after `warmUp` that do not. */
  readonly steps: number;
  readonly warmUp: number;
}

const SIZES: SupervisionSizes = { widths: [64, 128], swaps: 28, batch: 8, steps: 60, warmUp: 5 };
const MODELS = ["transformer", "deltanet", "lstm"] as const;
const HEADS = ["none", "linear", "decoder", "contrastive"] as const;
const LAYERS = 2;

export async function run({ json, signal }: BenchOptions): Promise<readonly SupervisionRow[]> {
  const rows: SupervisionRow[] = [];
  for (const width of SIZES.widths) {
    for (const model of MODELS) {
      if (signal.aborted) break;
      const measured = await measure(model, width, SIZES, signal);
      rows.push(...measured);
      if (!json) console.log(`${textOf(model, width, measured)}\n`);
    }
  }
  if (json) console.log(JSON.stringify({ version: 1, benchmark: "supervision", rows }, null, 2));
  return rows;
}

export async function measure(
  model: string,
  width: number,
  { swaps, batch, steps, warmUp }: SupervisionSizes,
  signal: AbortSignal,
): Promise<SupervisionRow[]> {
  const configs = HEADS.map((head) =>
    RunConfig.parse({
      task: { name: "list-permutation", size: 4, length: swaps },
      model: { name: model, layers: LAYERS, width },
      train: { steps: warmUp + steps, batch },
      ...(head !== "none" && { stateSupervision: { head } }),
    }),
  );
  const medians = (await timesOfSteps(configs, warmUp, signal)).map(median);
  return HEADS.map((head, i) => ({
    model,
    width,
    head,
    milliseconds: medians[i],
    ratio: medians[i] / medians[0],
  }));
}

function textOf(model: string, width: number, rows: readonly SupervisionRow[]): string {
  const cells = rows.map(({ head, milliseconds, ratio }) => [
    head,
    milliseconds.toFixed(1),
    ratio.toFixed(2),
  ]);
  return `${model}, d = ${width}\n${textTable({ columns: ["head", "ms a step", "ratio"], rows: cells })}`;
}
