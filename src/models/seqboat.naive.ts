/**
 * @file SeqBoat's mixer in plain numbers, token by token: active tokens are appended to a list, and attend to its end.
 *
 *     m = silu(sum_n C_n (1 - a_n) h_n + skip x);   y = silu([m, p g o attention] Wout + x)
 *
 * The active tokens are recorded at the weights of the gradient, and only p varies.
 */

import {
  dot,
  linear,
  product,
  type Remember,
  type Row,
  type Rows,
  type Subject,
  silu,
  softmax,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function seqboatNaive(
  x: Rows,
  weights: Weights,
  { window }: { readonly window: number },
  _offered?: unknown,
  remember: Remember = (make) => make(),
): number[][] {
  const width = x[0].length;
  const vector = (name: string) => weights[name][0];
  const decays = weights.read.map((row, n) =>
    row.map((_, i) => Math.exp(-Math.exp(vector("logRate")[n * width + i]))),
  );
  let h = decays.map((row) => row.map(() => 0));
  const listed: { readonly key: Row; readonly value: Row }[] = [];
  return x.map((row) => {
    h = h.map((own, n) => own.map((each, i) => decays[n][i] * each + row[i]));
    const m = row.map((each, i) => {
      const means = h.reduce((total, own, n) => total + weights.read[n][i] * (1 - decays[n][i]) * own[i], 0);
      return silu(means + vector("skip")[i] * each);
    });
    const temperature = Math.exp(vector("logTemperature")[0]);
    const [, chosen] = softmax(linear(m, weights.choose).map((each) => each / temperature));
    const [[active]] = remember(() => [[Number(chosen > 0.5)]]);
    const parts = linear(m, weights.input).map(silu);
    const [z, gate, value] = [0, 1, 2].map((which) => parts.slice(which * width, (which + 1) * width));
    let attended = row.map(() => 0);
    if (active === 1) {
      listed.push({ key: product(z, vector("keyScale")), value });
      const seen = listed.slice(-window);
      const query = sum(product(z, vector("queryScale")), vector("queryOffset"));
      const shares = softmax(seen.map(({ key }) => dot(query, key) / Math.sqrt(width)));
      attended = row.map((_, i) =>
        seen.reduce((total, each, s) => total + chosen * gate[i] * shares[s] * each.value[i], 0),
      );
    }
    return sum(linear([...m, ...attended], weights.out), row).map(silu);
  });
}

export const subject: Subject = {
  twin: seqboatNaive,
  configs: [
    { window: 3, stateSize: 4 },
    { window: 64, stateSize: 1 },
  ],
  parameters: (d, { stateSize: N }) => 2 * N * d + d + 2 * d + 1 + 3 * d * d + 3 * d + 2 * d * d,
  taps: (B, T, d) => ({
    active: [B, T, 1],
    share: [B, T, 1],
    query: [B, T, 1, d],
    key: [B, T, 1, d],
    value: [B, T, 1, d],
  }),
  headWidth: (d) => 2 * d,
};
