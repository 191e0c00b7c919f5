/** @file What a training will cost, said before it begins: memory from the graph, time from steps that change nothing. */

import type { RunConfig } from "../records/run.ts";
import { isFinished, type Trainer } from "./trainer.ts";

export interface Estimate {
  readonly bytes: number;
  readonly secondsPerStep: number;
  /** For the steps that are left, at the speed of the current stage. */
  readonly seconds: number;
}

export async function estimate(trainer: Trainer, config: RunConfig): Promise<Estimate> {
  const state = trainer.state();
  const left = isFinished(state, config) ? 0 : config.train.steps - state.step;
  const secondsPerStep = left > 0 ? await trainer.trialSeconds() : 0;
  return { bytes: trainer.memory(), secondsPerStep, seconds: left * secondsPerStep };
}
