/**
 * @file The objective of a language model: the mean of -log p(next token) over every position in use.
 *
 * As a signal, every position in use weighs 1 / N. As a part of a mixture, every word of a program but the first is asked.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import {
  definePart,
  defineSignal,
  type Objective,
  type ObjectiveSetting,
  type StagedObjective,
  type Weigh,
} from "./objective.ts";
import { surpriseAt } from "./revealed-values.ts";

const EVERYWHERE = "next-token.weights";

const staged: StagedObjective = {
  loss: surpriseAt(EVERYWHERE),
  sheet: () => ({
    feeds({ starts, lengths, weights }) {
      const everywhere = new Float32Array(weights.length);
      for (const [i, start] of starts.entries()) everywhere.fill(1, start, start + lengths[i]);
      return { [EVERYWHERE]: everywhere };
    },
    asked: ({ lengths }) => lengths.reduce((sum, used) => sum + used, 0),
  }),
};

function refuseStates({ asks }: ObjectiveSetting["prepared"]): void {
  if (asks === "states") {
    fail(
      "train.loss",
      '"revealed-values" for a task that asks for states',
      "next-token",
      "Its words are random and contain no states",
    );
  }
}

const weighEverywhere: Weigh = ({ targets, length, lengths }) => {
  const used = lengths.reduce((sum, each) => sum + each, 0);
  const weights = new Float32Array(targets.length);
  for (const [row, each] of lengths.entries()) weights.fill(1 / used, row * length, row * length + each);
  return { targets: [targets], weights: [weights] };
};

export const nextToken = {
  loss({ prepared }: Pick<ObjectiveSetting, "prepared">): Objective {
    refuseStates(prepared);
    return { name: "next-token", lossName: "nextTokenLoss", inStage: () => staged };
  },
  signal: defineSignal({
    params: z.strictObject({}),
    weighing: {
      layers: () => 1,
      weigh(_params, { prepared }) {
        refuseStates(prepared);
        return weighEverywhere;
      },
    },
  }),
  part: definePart({
    params: z.strictObject({}),
    most: (words) => words,
    write(program, _, { word, answer }) {
      for (const [i, each] of program.entries()) (i === 0 ? word : answer)(each);
    },
  }),
};
