/**
 * @file Makes blocks: draws the examples of a step, and weighs them with given weights of the model, as the training itself would.
 */

import { type Batch, emptyBatch } from "../../tasks/batch.ts";
import type { Runtime } from "../../tensor/index.ts";
import { trainingData } from "../data.ts";
import { type LogProbModel, openLogProbs } from "../graph.ts";
import type { Setup } from "../setup.ts";
import type { HeldOut } from "../validation.ts";
import { type BlockContent, recorder } from "./block.ts";
import { needsModel } from "./staleness.ts";

export interface Producer {
  /** Whether `make` needs weights. */
  readonly asksModel: boolean;
  /** A function of its arguments and the configuration of the run alone. */
  make(step: number, weights: Readonly<Record<string, Float32Array>>): Promise<BlockContent>;
  release(): Promise<void>;
}

export function openProducer(
  { config, signal, data, model, objectives }: Setup,
  runtime: Runtime,
  heldOut?: HeldOut,
): Producer {
  const [stage] = trainingData(data, heldOut).stages;
  const rows = config.train.batch;
  const sheets = objectives[0].map(({ staged }) => staged.sheet());
  const asks = needsModel(signal);
  let batch: Batch | undefined;
  let speaker: LogProbModel | undefined;
  return {
    asksModel: asks,
    async make(step, weights) {
      batch ??= emptyBatch(rows, stage.length);
      const { read, examples } = recorder();
      const noted = asks ? sheets.flatMap(({ read }) => read ?? []) : [];
      stage.fill(batch, step, { readers: [read, ...noted] });
      if (!asks) return { examples };
      speaker ??= openLogProbs(model, runtime);
      const { logProbabilities } = speaker;
      const asking = {
        step,
        logProbabilities: (tokens: Int32Array) => logProbabilities(rows, tokens, weights),
      };
      for (const sheet of sheets) await sheet.prepare?.(batch, asking);
      return { examples, weighed: sheets.find(({ weighed }) => weighed !== undefined)?.weighed?.() };
    },
    release: async () => speaker?.release(),
  };
}
