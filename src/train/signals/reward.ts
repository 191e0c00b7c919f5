/**
 * @file Reward: the model says answers of its own, and learns which of them were right, but not what would have been.
 *
 *     K times for each program     a_t ~ p(. | text so far) at each place where something is asked
 *     R_k                          1 if all of them are right (credit: all), or each by itself (credit: each)
 *     A_k = R_k - mean of the other K - 1
 *     gradient of   sum_k A_k log p(a_k) / (K N)       N: programs, or with credit: each what is asked of them
 *
 * The mean of the others does not depend on a_k, so on average the gradient is that of the mean reward; with R_k itself in the mean it
 * would be (K - 1) / K of it. What is said is not written into the text: with `credit: all` and H questions this is a
 * combination lock of H digits, which opens to a guess with n^-H.
 *
 * Source: the policy gradient of Williams 1992; leave-one-out: Kool et al. 2019.
 */

import { z } from "zod";
import type { Rng } from "../../math/rng.ts";
import type { Batch } from "../../tasks/batch.ts";
import { drawn } from "./hint.ts";
import { defineSignal, type Weigh } from "./signal.ts";

export const reward = defineSignal({
  name: "reward",
  source: "Williams 1992; Kool et al. 2019",
  params: z.strictObject({
    /** K. */
    samples: z.int().min(2).max(64).default(8),
    /** Whether the whole of a program's answers is rewarded, at its end, or each answer. */
    credit: z.enum(["all", "each"]).default("all"),
  }),
  weighing: {
    layers: ({ samples }) => samples,
    records: ["reward", "entropy"],
    weigh: ({ samples, credit }) => weighRewards(samples, credit),
  },
});

/** Of K rewards each less the mean of the others. */
export function leaveOneOut(rewards: readonly number[]): number[] {
  const total = rewards.reduce((sum, each) => sum + each, 0);
  return rewards.map((each) => each - (total - each) / (rewards.length - 1));
}

export function weighRewards(samples: number, credit: "all" | "each"): Weigh {
  return async (batch, { rng, logProbabilities }) => {
    const { rows, tokens, revealStarts, revealPositions, revealEnds } = batch;
    const said = await logProbabilities(tokens);
    const layers = Array.from({ length: samples }, () => ({
      targets: new Int32Array(tokens.length),
      weights: new Float32Array(tokens.length),
    }));
    const asked = credit === "all" ? rows : revealStarts[rows];
    let rewards = 0;
    for (let row = 0; row < rows; row++) {
      const answers = Array.from(
        { length: revealStarts[row + 1] - revealStarts[row] },
        (_, i) => revealStarts[row] + i,
      );
      const groups = credit === "all" ? [answers] : answers.map((answer) => [answer]);
      for (const group of groups) {
        const places = group.flatMap((answer) => range(revealPositions[answer], revealEnds[answer]));
        if (places.length === 0) continue;
        const right = layers.map(({ targets }) => Number(sayAt(places, batch, said, targets, rng)));
        rewards += right.reduce((sum, each) => sum + each, 0);
        for (const [k, advantage] of leaveOneOut(right).entries())
          for (const at of places) layers[k].weights[at] = advantage / (samples * asked);
      }
    }
    return {
      targets: layers.map(({ targets }) => targets),
      weights: layers.map(({ weights }) => weights),
      records: { reward: rewards / (samples * asked), entropy: meanEntropy(batch, said) },
    };
  };
}

/** Draws a word at each of some places, and says whether all of them are the targets. */
function sayAt(
  places: readonly number[],
  { tokens, targets }: Batch,
  said: Float32Array,
  into: Int32Array,
  rng: Rng,
): boolean {
  const vocabulary = said.length / tokens.length;
  for (const at of places) {
    into[at] = drawn(said.subarray(at * vocabulary, (at + 1) * vocabulary), rng);
  }
  return places.every((at) => into[at] === targets[at]);
}

/** Of what is said where something is asked, in nats. */
function meanEntropy({ tokens, weights }: Batch, said: Float32Array): number {
  const vocabulary = said.length / tokens.length;
  let [sum, asked] = [0, 0];
  for (const [at, weight] of weights.entries()) {
    if (weight === 0) continue;
    asked++;
    for (const log of said.subarray(at * vocabulary, (at + 1) * vocabulary))
      if (log > -100) sum -= Math.exp(log) * log;
  }
  return sum / Math.max(1, asked);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
