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
 * `branches` samples each of the K answers again so many times, from one of its places on. The place is drawn among the `critical` ones
 * with the largest entropy; the words before it are copied, and learn from the reward of each copy:
 *
 *     K = 2, branches = 1     a1 a2 a3    b1 b2 b3    a1 a2 a3'   b1 b2' b3'      9 words are sampled, 3 are copied
 *
 * The baseline is the mean of the other K - 1 answers, for a branch the one of its origin. A mean over the other N - 1 = K (1 + branches)
 * - 1 of the group, as CURE has it, includes rewards of the same copied words, and leaves 1 - branches / (N - 1) of their gradient.
 *
 * Source: the policy gradient of Williams 1992; leave-one-out: Kool et al. 2019; Clip-Cov: Cui et al. 2025, arXiv:2505.22617, which
 * draws among covariances of 1 to 5; on vocabularies of a few words none is so large, so ours is a quantile; branches: CURE 2025, the
 * first stage in the repository bytedance/CURE, with K = 4, branches = 3, critical = 20.
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
    /** Each answer is sampled so many times more from one of its places on. */
    branches: z.int().min(0).max(15).default(0),
    /** The place is drawn among so many with the largest entropy. */
    critical: z.int().min(1).default(3),
  }),
  weighing: {
    layers: ({ samples, branches }) => samples * (1 + branches),
    records: ["reward", "entropy", "sampled"],
    weigh: ({ samples, credit, clip, ...branching }) => weighRewards(samples, credit, clip, branching),
  },
});

/** Each reward minus the mean of the other originals: first those of K originals, then those of a branch of each, and so on. */
export function leaveOneOut(rewards: readonly number[], originals = rewards.length): number[] {
  const total = rewards.slice(0, originals).reduce((sum, each) => sum + each, 0);
  return rewards.map((each, i) => each - (total - rewards[i % originals]) / (originals - 1));
}

/** Excluded words are drawn from this share with the largest covariance. */
const UPPER = 0.1;

export function weighRewards(
  samples: number,
  credit: "all" | "each",
  clip = 0,
  { branches, critical } = { branches: 0, critical: 1 },
): Weigh {
  return async (batch, { rng, logProbabilities }) => {
    const { rows, tokens, revealStarts, revealPositions, revealEnds } = batch;
    const said = await logProbabilities(tokens);
    const layers = Array.from({ length: samples * (1 + branches) }, () => ({
      targets: new Int32Array(tokens.length),
      weights: new Float32Array(tokens.length),
    }));
    const asked = credit === "all" ? rows : Math.max(1, revealStarts[rows]);
    const words: SaidWord[] = [];
    let [rewards, sampled] = [0, 0];
    for (let row = 0; row < rows; row++) {
      const answers = Array.from(
        { length: revealStarts[row + 1] - revealStarts[row] },
        (_, i) => revealStarts[row] + i,
      );
      const groups = credit === "all" ? [answers] : answers.map((answer) => [answer]);
      for (const group of groups) {
        const places = group.flatMap((answer) => range(revealPositions[answer], revealEnds[answer]));
        if (places.length === 0) continue;
        const uncertain = mostUncertain(places, critical, said, tokens.length);
        const starts = range(0, branches > 0 ? samples : 0).map(() => uncertain[rng.below(uncertain.length)]);
        for (const [k, { targets: into }] of layers.entries()) {
          const start = k < samples ? 0 : starts[k % samples];
          for (const at of places) {
            const copied = at < start;
            into[at] = copied ? layers[k % samples].targets[at] : drawn(logsAt(at, said, tokens.length), rng);
            sampled += Number(!copied);
          }
        }
        const right = layers.map(({ targets }) =>
          Number(places.every((at) => targets[at] === batch.targets[at])),
        );
        rewards += right.reduce((sum, each) => sum + each, 0);
        for (const [k, advantage] of leaveOneOut(right, samples).entries())
          for (const at of places) {
            layers[k].weights[at] = advantage / (layers.length * asked);
            const log = said[(at * said.length) / tokens.length + layers[k].targets[at]];
            if (clip > 0) words.push({ layer: k, at, advantage, log });
          }
      }
    }
    for (const { layer, at } of surest(words, clip, rng)) layers[layer].weights[at] = 0;
    return {
      targets: layers.map(({ targets }) => targets),
      weights: layers.map(({ weights }) => weights),
      records: {
        reward: rewards / (layers.length * asked),
        entropy: meanEntropy(batch, said),
        sampled: sampled / rows, // words per program, without those that branches copy
      },
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

/** Log probabilities at a place, of so many places. */
function logsAt(at: number, said: Float32Array, all: number): Float32Array {
  const vocabulary = said.length / all;
  return said.subarray(at * vocabulary, (at + 1) * vocabulary);
}

/** In nats. */
function entropyAt(at: number, said: Float32Array, all: number): number {
  return logsAt(at, said, all).reduce((sum, log) => (log > -100 ? sum - Math.exp(log) * log : sum), 0);
}

/** So many of the places, those with the largest entropy. */
function mostUncertain(places: readonly number[], count: number, said: Float32Array, all: number): number[] {
  return places
    .map((at) => ({ at, entropy: entropyAt(at, said, all) }))
    .sort((a, b) => b.entropy - a.entropy)
    .slice(0, count)
    .map(({ at }) => at);
}

/** Mean entropy of the predictions where something is asked, in nats. */
function meanEntropy({ tokens, weights }: Batch, said: Float32Array): number {
  let [sum, asked] = [0, 0];
  for (const [at, weight] of weights.entries()) {
    if (weight === 0) continue;
    asked++;
    sum += entropyAt(at, said, tokens.length);
  }
  return sum / Math.max(1, asked);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
