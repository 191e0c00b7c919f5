/**
 * @file The signal on what the task asks for: each position with a revealed value, or where a state is asked for, weighs 1 / N.
 *
 * The mean of -log p(target), as `train.loss: reveals` has it.
 */

import { z } from "zod";
import { withHints } from "./hint.ts";
import { defineSignal, type Weigh } from "./signal.ts";

export const reveals = defineSignal({
  name: "reveals",
  source: "own",
  params: z.strictObject({
    /** Each print stands there twice, the first time as a hint (hint.ts): what a base for `hint` learns to read. */
    hinted: z.boolean().default(false),
  }),
  show: (prepared, { hinted }) => (hinted ? withHints(prepared) : prepared),
  weighing: { layers: () => 1, weigh: () => weighReveals },
});

export const weighReveals: Weigh = ({ targets, weights }) => {
  const asked = weights.reduce((sum, weight) => sum + weight, 0);
  return { targets: [targets], weights: [weights.map((weight) => weight / asked)] };
};
