/** @file The signal of a language model: every position in use weighs 1 / N, as `train.loss: next-token` has it. */

import { z } from "zod";
import { nextToken as objective } from "../objectives/next-token.ts";
import { defineSignal, type Weigh } from "./signal.ts";

export const nextToken = defineSignal({
  name: "next-token",
  source: "own",
  params: z.strictObject({}),
  weighing: {
    layers: () => 1,
    weigh(_params, { prepared }) {
      objective({ prepared }); // refuses a task whose words cannot be learned
      return weighEverywhere;
    },
  },
});

const weighEverywhere: Weigh = ({ targets, length, lengths }) => {
  const used = lengths.reduce((sum, each) => sum + each, 0);
  const weights = new Float32Array(targets.length);
  for (const [row, each] of lengths.entries()) weights.fill(1 / used, row * length, row * length + each);
  return { targets: [targets], weights: [weights] };
};
