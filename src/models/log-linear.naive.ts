/**
 * @file Log-linear attention's mixer in plain numbers: pair by pair, with the level found by subtracting powers of two.
 *
 *     o_t = sum_{s <= t} m_t[level] a_{s+1} ... a_t (q_t . k_s / sqrt(dk)) v_s;   y_t = (norm(o_t) o silu(x_t Wg)) Wo
 */

import {
  dot,
  gatedOutput,
  linear,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly longest: number;
}

/** Blocks of the past [0, t) from the newest: as long as the lowest bit of the remainder. */
function levelByBlocks(t: number, s: number): number {
  if (s === t) return 0;
  for (let end = t; end > 0; ) {
    let length = 1;
    let level = 1;
    while (end % (2 * length) === 0) {
      length *= 2;
      level++;
    }
    if (s >= end - length) return level;
    end -= length;
  }
  throw new Error(`${s} is not before ${t}`);
}

/** x [T][d] -> [T][d]. */
function logLinearNaive(x: Rows, weights: Weights, { heads, longest }: Own): number[][] {
  const own = x[0].length / heads;
  const levels = 1 + Math.ceil(Math.log2(longest));
  const [level] = weights.level;
  const shares = x.map((row) =>
    linear(row, weights.share).map((each, i) => Math.log1p(Math.exp(level[i] * each))),
  );
  const decays = x.map((row) =>
    sum(linear(row, weights.decay), weights.decayBias[0]).map((each) => sigmoid(each) ** (1 / 16)),
  );
  const read = projections(x, weights, heads, false).map(({ q, k, v }, head) =>
    q.map((asked, t) => {
      const o = new Array<number>(own).fill(0);
      let faded = 1;
      for (let s = t; s >= 0; s--) {
        const share = shares[t][head * levels + levelByBlocks(t, s)];
        const weight = (share * faded * dot(asked, k[s])) / Math.sqrt(own);
        for (const [i, each] of v[s].entries()) o[i] += weight * each;
        faded *= decays[s][head];
      }
      return o;
    }),
  );
  return gatedOutput(x, read, weights);
}

const levelsIn = (longest: number) => 1 + Math.ceil(Math.log2(longest));

export const subject: Subject = {
  twin: logLinearNaive,
  configs: [{ longest: 70 }, { heads: 4, longest: 66, convolution: 4 }],
  parameters: (d, { heads: h, longest, convolution: K }) =>
    5 * d * d + d * h + h + (d + 1) * h * levelsIn(longest) + 3 * K * d + d / h,
  taps: (B, T, d, { heads: h, longest }) => ({
    ...queryKeyValue(B, T, d, h),
    decay: [B, T, h],
    share: [B, T, h, levelsIn(longest)],
  }),
};
