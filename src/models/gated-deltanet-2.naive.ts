/**
 * @file Gated DeltaNet-2's mixer in plain numbers, step by step.
 *
 *     S = diag(a_t) S;  S = S + k_t (w_t o v_t - S' (b_t o k_t))';   y_t = (norm(S' q_t / sqrt(dk)) o sigmoid(x_t Gdown Gup + g)) Wo
 */

import {
  dot,
  gatedOutput,
  layerParameters,
  linear,
  memoryWidths,
  product,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  softplus,
  sum,
  unit,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function gatedDeltanet2Naive(
  x: Rows,
  weights: Weights,
  { heads, betaMax }: Readonly<Record<"heads" | "betaMax", number>>,
): number[][] {
  const [dk, dv] = ["erase", "write"].map((name) => weights[name][0].length / heads);
  const [[bias], [logRate]] = [weights["decay.bias"], weights["decay.logRate"]];
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const [keys, values] = [dk, dv].map(
      (own) => (row: readonly number[]) => row.slice(head * own, (head + 1) * own),
    );
    const S = v[0].map(() => new Array<number>(dk).fill(0)); // [dv][dk]
    return x.map((row, t) => {
      const steps = keys(sum(linear(linear(row, weights["decay.down"]), weights["decay.up"]), bias));
      const decays = steps.map((step) => Math.exp(-Math.exp(logRate[head]) * softplus(step)));
      const erased = keys(linear(row, weights.erase)).map((each) => betaMax * sigmoid(each));
      const written = values(linear(row, weights.write)).map(sigmoid);
      const key = unit(k[t]);
      for (const [j, memory] of S.entries()) {
        for (const i of memory.keys()) memory[i] *= decays[i];
        const change = written[j] * v[t][j] - dot(memory, product(erased, key));
        for (const i of memory.keys()) memory[i] += change * key[i];
      }
      return S.map((memory) => dot(memory, unit(q[t])) / Math.sqrt(dk));
    });
  });
  return gatedOutput(x, read, weights, (row) => {
    const [gateBias] = weights["gate.bias"];
    return sum(linear(linear(row, weights["gate.down"]), weights["gate.up"]), gateBias).map(sigmoid);
  });
}

export const subject: Subject = {
  twin: gatedDeltanet2Naive,
  configs: [{ expandV: 2 }, { heads: 1, expandK: 0.5, betaMax: 1, convolution: 0, chunk: 3 }],
  parameters(d, own) {
    const { dk, dv } = memoryWidths(d, own);
    const [keys, values] = [own.heads * dk, own.heads * dv];
    const gates = d * (keys + values);
    const lowRanks = dv * (2 * d + keys + values);
    return layerParameters(d, own) + gates + lowRanks + keys + own.heads + values;
  },
  taps(B, T, d, own) {
    const { dk, dv } = memoryWidths(d, own);
    return {
      ...queryKeyValue(B, T, d, own.heads, own),
      erase: [B, T, own.heads, dk],
      write: [B, T, own.heads, dv],
      decay: [B, T, own.heads * dk],
    };
  },
  headWidth: valueWidth,
};
