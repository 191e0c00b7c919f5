/** @file What a training will cost, said before it begins: from the graph, and from steps that change nothing. */

import type { RunConfig } from "../schemas/run-config.ts";
import { isFinished, type Trainer } from "./trainer.ts";

export interface Estimate {
  /** Memory of the process. */
  readonly bytes: number;
  readonly secondsPerStep: number;
  /** For the steps that are left, at the speed of the current stage. */
  readonly seconds: number;
}

/** @param resident bytes that the process has now; asked after those steps, when it has most of what it will need. */
export async function estimate(
  trainer: Trainer,
  config: RunConfig,
  resident: () => number = () => 0,
): Promise<Estimate> {
  const state = trainer.state();
  const left = isFinished(state, config) ? 0 : config.train.steps - state.step;
  const secondsPerStep = left > 0 ? await trainer.trialSeconds() : 0;
  return { bytes: Math.max(trainer.memory(), resident()), secondsPerStep, seconds: left * secondsPerStep };
}
