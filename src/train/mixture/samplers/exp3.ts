/**
 * @file Bandit: EXP3. The shares of a window are p; one part, drawn from p, is observed, and its reward is the relative fall of its loss.
 *
 *     p_i = (1 - g) w_i / sum w + g / K           g: exploration
 *     x   = (before - after) / before, in [0, 1]  of the observed part i
 *     w_i <- w_i exp(g x / (p_i K))
 *
 * If rewards do not depend on the draws, the regret against the sum G of the best part is at most (e - 1) g G + K ln K / g on average.
 * A training does not satisfy this: a learned part pays nothing any more. And a window pays little, about .05, so ten windows hardly
 * move p from equal shares.
 *
 * Source: Auer, Cesa-Bianchi, Freund and Schapire 2002, SIAM J. Comput. 32:1; for curricula Graves et al. 2017, arXiv:1704.03003.
 */

import { z } from "zod";
import { drawnFrom } from "../../../core/rng.ts";
import { definePolicy } from "./policy.ts";

export const bandit = definePolicy({
  params: z.strictObject({
    /** g. */
    exploration: z.number().gt(0).max(1).default(0.2),
  }),
  choose({ given, windows }, rng, { exploration }) {
    const parts = given.length;
    const logWeights = new Float64Array(parts);
    for (const { shares, looked, before, after } of windows) {
      const [part] = looked;
      const paid = after.length === 0 ? 0 : relativeFall(before[0], after[0]);
      logWeights[part] += (exploration * paid) / (shares[part] * parts);
    }
    const shares = explored(logWeights, exploration);
    return { shares, looked: [drawnFrom(shares, rng)] };
  },
});

/** (before - after) / before, in [0, 1]. */
export function relativeFall(before: number, after: number): number {
  return before > 0 ? Math.min(1, Math.max(0, (before - after) / before)) : 0;
}

function explored(logWeights: Float64Array, exploration: number): number[] {
  const most = Math.max(...logWeights);
  const weights = Array.from(logWeights, (each) => Math.exp(each - most));
  const total = weights.reduce((sum, each) => sum + each, 0);
  return weights.map((each) => ((1 - exploration) * each) / total + exploration / weights.length);
}
