/**
 * @file The objective of the task: the mean of -log p(target) where a revealed value is next, or a state is asked for.
 *
 * As a signal, each of these positions weighs 1 / N. With `hinted` each print occurs twice, the first time as a hint (hint.ts):
 * a base for `hint` learns to read hints from it.
 */

import { z } from "zod";
import { crossEntropy } from "../../tensor/index.ts";
import { withHints } from "./hint.ts";
import {
  defineSignal,
  type LossInputs,
  type Objective,
  type ObjectiveLoss,
  type StagedObjective,
  type Weigh,
} from "./objective.ts";

/** -log p(target): the mean over all positions with the weights [B, T] that are fed under this name. */
export function surpriseAt(weights: string) {
  return ({ graph, logits, targets }: LossInputs): ObjectiveLoss => ({
    loss: crossEntropy(logits, targets, graph.input(weights, targets.shape)),
  });
}

const staged: StagedObjective = {
  loss: surpriseAt("weights"),
  sheet: () => ({
    feeds: ({ weights }) => ({ weights }),
    asked: ({ weights }) => weights.reduce((sum, weight) => sum + weight, 0),
  }),
};
const objective: Objective = {
  name: "revealed-values",
  lossName: "revealedValuesLoss",
  inStage: () => staged,
};

/** The objective alone, with the weights of the batch. */
export const revealsAlone = [{ objective, staged, weight: 1 }];

const weighReveals: Weigh = ({ targets, weights }) => {
  const asked = Math.max(
    1,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
  return { targets: [targets], weights: [weights.map((weight) => weight / asked)] };
};

export const revealedValues = {
  loss: () => objective,
  signal: defineSignal({
    params: z.strictObject({ hinted: z.boolean().default(false) }),
    show: (prepared, { hinted }) => (hinted ? withHints(prepared) : prepared),
    weighing: { layers: () => 1, weigh: () => weighReveals },
  }),
};
