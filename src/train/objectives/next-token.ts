/** @file The loss of a language model: the mean of -log p(next token) over every position in use. */

import { fail } from "../../core/error.ts";
import { surpriseAt } from "./nll.ts";
import type { Objective, ObjectiveSetting } from "./objective.ts";

const EVERYWHERE = "next-token.weights";

export function nextToken({ prepared }: Pick<ObjectiveSetting, "prepared">): Objective {
  if (prepared.asks === "states") {
    fail(
      "train.loss",
      '"reveals" for a task that asks for states',
      "next-token",
      "Its words are drawn at random and its states are not among them, so no next token can be learned",
    );
  }
  return {
    name: "next-token",
    lossName: "nextTokenLoss",
    inStage: () => ({
      loss: surpriseAt(EVERYWHERE),
      sheet: () => ({
        feeds({ starts, lengths, weights }) {
          const everywhere = new Float32Array(weights.length);
          for (const [i, start] of starts.entries()) everywhere.fill(1, start, start + lengths[i]);
          return { [EVERYWHERE]: everywhere };
        },
        asked: ({ lengths }) => lengths.reduce((sum, used) => sum + used, 0),
      }),
    }),
  };
}
