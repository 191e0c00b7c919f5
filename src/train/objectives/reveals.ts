/**
 * @file The loss on what the task asks for: the mean of -log p(target) where a revealed value is next, or a state is
 * asked for.
 */

import { surpriseAt } from "./nll.ts";
import type { Objective, StagedObjective } from "./objective.ts";

const staged: StagedObjective = {
  loss: surpriseAt("weights"),
  sheet: () => ({
    feeds: ({ weights }) => ({ weights }),
    asked: ({ weights }) => weights.reduce((sum, weight) => sum + weight, 0),
  }),
};
const objective: Objective = { name: "reveals", lossName: "revealsLoss", inStage: () => staged };

export function reveals(): Objective {
  return objective;
}

/** By itself: the mean surprise at the targets, by the weights of the batch. */
export const revealsAlone = [{ objective, staged, weight: 1 }];
