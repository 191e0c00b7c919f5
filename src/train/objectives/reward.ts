/**
 * @file Reward: the model samples answers, and learns which of them were right, but not the right answer.
 *
 *     K times for each program     a_t ~ p(. | text so far) at each place where something is asked
 *     R_k                          1 if all of them are right (credit: all), or each by itself (credit: each)
 *     A_k = R_k - mean of the other K - 1
 *     gradient of   sum_k A_k log p(a_k) / (K N)       N: programs, or with credit: each their answers
 *
 * The mean of the others does not depend on a_k, so on average the gradient is that of the mean reward; with R_k itself in the mean it
 * would be (K - 1) / K of it. Sampled answers are not written into the text: with `credit: all` and H questions this is a combination
 * lock of H digits, which a guess opens with probability n^-H.
 *
 * A small step of rate r changes the entropy by - r Cov(log p, p A): likely answers that pay make the model more certain. `clip`
 * excludes some of them (Clip-Cov), so that it remains uncertain for longer:
 *
 *     c_i = (A_i - mean A) (log p(a_i) - mean log p)      of all sampled words of the batch
 *     w_i = 0 for a share `clip` of them, drawn among the tenth with the largest c
 *
 * Source: the policy gradient of Williams 1992; leave-one-out: Kool et al. 2019; Clip-Cov: Cui et al. 2025, arXiv:2505.22617, which
 * draws among covariances of 1 to 5; on vocabularies of a few words none is so large, so ours is a quantile.
 */

import { z } from "zod";
import { distinct, type Rng } from "../../core/rng.ts";
import type { Batch } from "../../tasks/batch.ts";
import { drawn } from "./hint.ts";
import { defineSignal, type Weigh } from "./objective.ts";

export const reward = defineSignal({
  params: z.strictObject({
    /** K. */
    samples: z.int().min(2).max(64).default(8),
    /** Reward all answers of a program together, or each by itself. */
    credit: z.enum(["all", "each"]).default("all"),
    /** The share of sampled words that is excluded. */
    clip: z.number().min(0).max(0.1).default(0),
  }),
  weighing: {
    layers: ({ samples }) => samples,
    records: ["reward", "entropy"],
    weigh: ({ samples, credit, clip }) => weighRewards(samples, credit, clip),
  },
});

/** Each of K rewards minus the mean of the others. */
export function leaveOneOut(rewards: readonly number[]): number[] {
  const total = rewards.reduce((sum, each) => sum + each, 0);
  return rewards.map((each) => each - (total - each) / (rewards.length - 1));
}

/** Excluded words are drawn from this share with the largest covariance. */
const UPPER = 0.1;

export function weighRewards(samples: number, credit: "all" | "each", clip = 0): Weigh {
  return async (batch, { rng, logProbabilities }) => {
    const { rows, tokens, revealStarts, revealPositions, revealEnds } = batch;
    const said = await logProbabilities(tokens);
    const layers = Array.from({ length: samples }, () => ({
      targets: new Int32Array(tokens.length),
      weights: new Float32Array(tokens.length),
    }));
    const asked = credit === "all" ? rows : Math.max(1, revealStarts[rows]);
    const words: SaidWord[] = [];
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
          for (const at of places) {
            layers[k].weights[at] = advantage / (samples * asked);
            const log = said[(at * said.length) / tokens.length + layers[k].targets[at]];
            if (clip > 0) words.push({ layer: k, at, advantage, log });
          }
      }
    }
    for (const { layer, at } of surest(words, clip, rng)) layers[layer].weights[at] = 0;
    return {
      targets: layers.map(({ targets }) => targets),
      weights: layers.map(({ weights }) => weights),
      records: { reward: rewards / (samples * asked), entropy: meanEntropy(batch, said) },
    };
  };
}

interface SaidWord {
  readonly layer: number;
  readonly at: number;
  readonly advantage: number;
  /** Its log p. */
  readonly log: number;
}

/** Draws a share of the words among those with the largest covariance of advantage and log p. */
export function surest<Word extends Pick<SaidWord, "advantage" | "log">>(
  words: readonly Word[],
  share: number,
  rng: Rng,
): Word[] {
  if (share === 0 || words.length === 0) return [];
  const mean = (of: (word: Word) => number) => words.reduce((sum, word) => sum + of(word), 0) / words.length;
  const [advantage, log] = [mean((word) => word.advantage), mean((word) => word.log)];
  const covariance = (word: Word) => (word.advantage - advantage) * (word.log - log);
  const upper = words
    .toSorted((a, b) => covariance(b) - covariance(a))
    .slice(0, Math.ceil(UPPER * words.length));
  const count = Math.min(upper.length, Math.max(1, Math.round(share * words.length)));
  return distinct(rng, count, upper.length).map((i) => upper[i]);
}

/** Samples a word at each place; returns whether all are the targets. */
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

/** Mean entropy of the predictions where something is asked, in nats. */
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
