/** @file Causal attention, in plain numbers: o_t is the mean of v_0 .. v_t, weighted by e^(q_t k_s). */

import { at, filled, type Numbers } from "./naive.ts";
import { logSoftmaxRow } from "./softmax.naive.ts";

/** q, k [B, h, T, dk], v [B, h, T, dv] -> [B, h, T, dv]. */
export function causalAttentionNaive(q: Numbers, k: Numbers, v: Numbers): Numbers {
  const [batch, heads, length, keyWidth] = q.shape;
  const weights = filled([batch, heads, length], () => 0); // only for its order: one row of weights per query
  const rows: number[][] = [];
  filled(weights.shape, ([b, h, t]) => {
    const scores = Array.from({ length: t + 1 }, (_, s) => {
      let score = 0;
      for (let i = 0; i < keyWidth; i++) score += at(q, [b, h, t, i]) * at(k, [b, h, s, i]);
      return score;
    });
    rows.push(logSoftmaxRow(scores).map(Math.exp));
    return 0;
  });
  return filled(v.shape, ([b, h, t, i]) =>
    rows[(b * heads + h) * length + t].reduce((sum, p, s) => sum + p * at(v, [b, h, s, i]), 0),
  );
}
