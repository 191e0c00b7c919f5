/**
 * @file What state supervision adds to a training step.
 *
 *     statelab bench supervision
 *
 * Four trainers of one model, without supervision and with each head, take turns, a step each, so that whatever else
 * runs on the machine falls on all of them; a ratio is of their medians. Programs of 28 swaps in a list of four: 244
 * tokens, and a state of four numbers after each of 29 lines. Target: at most 1.30 for the linear head at d = 128.
 */

import { textTable } from "../src/cli/table.ts";
import { median } from "../src/math/statistics.ts";
import { modelNamed } from "../src/models/index.ts";
import { RunConfig } from "../src/records/run.ts";
import { taskNamed } from "../src/tasks/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { createTrainer, type Trainer } from "../src/train/trainer.ts";
import type { BenchOptions } from "./main.ts";

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
  const contenders: { head: string; trainer: Trainer; next: () => Promise<unknown>; times: number[] }[] = [];
  try {
    for (const head of HEADS) {
      const config = RunConfig.parse({
        task: { name: "list-permutation", size: 4, length: swaps },
        model: { name: model, layers: LAYERS, width },
        train: { steps: warmUp + steps, batch },
        ...(head !== "none" && { stateSupervision: { head } }),
      });
      const parts = { task: taskNamed(config.task.name), mixer: modelNamed(model) };
      const trainer = await createTrainer(config, {
        ...parts,
        runtime: nodeRuntime(),
        now: () => performance.now(),
      });
      const records = trainer.steps();
      contenders.push({ head, trainer, next: () => records.next(), times: [] });
    }
    for (let step = 0; step < warmUp + steps; step++) {
      signal.throwIfAborted();
      for (const { next, times } of contenders) {
        const start = performance.now();
        await next();
        if (step >= warmUp) times.push(performance.now() - start);
      }
    }
    const alone = median(contenders[0].times);
    return contenders.map(({ head, times }) => {
      const milliseconds = median(times);
      return { model, width, head, milliseconds, ratio: milliseconds / alone };
    });
  } finally {
    for (const { trainer } of contenders) await trainer.release();
  }
}

function textOf(model: string, width: number, rows: readonly SupervisionRow[]): string {
  const cells = rows.map(({ head, milliseconds, ratio }) => [
    head,
    milliseconds.toFixed(1),
    ratio.toFixed(2),
  ]);
  return `${model}, d = ${width}\n${textTable({ columns: ["head", "ms a step", "ratio"], rows: cells })}`;
}
