/** @file -log p(target), weighted: what the losses on words have in common. */

import { crossEntropy } from "../../tensor/index.ts";
import type { LossInputs, ObjectiveLoss } from "./objective.ts";

/** The mean over all positions by the weights [B, T] that are fed under this name. */
export function surpriseAt(weights: string) {
  return ({ graph, logits, targets }: LossInputs): ObjectiveLoss => ({
    loss: crossEntropy(logits, targets, graph.input(weights, targets.shape)),
  });
}
