/**
 * @file The signal on what the task asks for: each position with a revealed value, or where a state is asked for, weighs 1 / N.
 *
 * The mean of -log p(target), as `train.loss: reveals` has it.
 */

import { z } from "zod";
import { defineSignal, type Weigh } from "./signal.ts";

export const reveals = defineSignal({
  name: "reveals",
  source: "own",
  params: z.strictObject({}),
  weighing: { layers: () => 1, weigh: () => weighReveals },
});

export const weighReveals: Weigh = ({ targets, weights }) => {
  const asked = weights.reduce((sum, weight) => sum + weight, 0);
  return { targets: [targets], weights: [weights.map((weight) => weight / asked)] };
};
