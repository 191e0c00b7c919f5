/**
 * @file RWKV-7's mixer in plain numbers, token by token and head by head.
 *
 *     S = diag(w) S - (K o a) (K' S) + k v', with the previous S on the right;   y = ((norm(S' r) + (r' (b o k)) v) o g) Wout
 */

import {
  dot,
  linear,
  product,
  queryKeyValue,
  type Row,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  unit,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]; the first such layer puts v into `offered`, later ones read it. */
function rwkv7Naive(
  x: Rows,
  weights: Weights,
  { heads, rateMax }: { readonly heads: number; readonly rateMax: number },
  offered: Map<string, Rows>,
): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const vector = (name: string) => weights[name][0];
  const zeros = new Array<number>(width).fill(0);
  const S = Array.from({ length: width }, () => new Array<number>(own).fill(0)); // [h dk][dv]
  const first = offered.get("rwkv7.value");
  const values: number[][] = [];
  const y = x.map((row, t) => {
    const before = x[t - 1] ?? zeros;
    const mixed = (name: string) =>
      row.map((each, i) => each + vector(`mix.${name}`)[i] * (before[i] - each));
    const lowRank = (given: Row, name: string) =>
      sum(linear(linear(given, weights[`${name}.down`]), weights[`${name}.up`]), vector(`${name}.bias`));
    const r = linear(mixed("receptance"), weights.receptance);
    const k = linear(mixed("key"), weights.key);
    let v = linear(mixed("value"), weights.value);
    values.push(v);
    if (first !== undefined) {
      const share = lowRank(mixed("value"), "firstValue").map(sigmoid);
      v = v.map((each, i) => (1 - share[i]) * each + share[i] * first[t][i]);
    }
    const squashed = linear(mixed("decay"), weights["decay.down"]).map(Math.tanh);
    const decay = sum(linear(squashed, weights["decay.up"]), vector("decay.bias")).map((each) =>
      Math.exp(-sigmoid(each) / Math.sqrt(Math.E)),
    );
    const a = lowRank(mixed("rate"), "rate").map((each) => rateMax * sigmoid(each));
    const written = k.map((each, i) => each * (1 + (a[i] - 1) * vector("keyRate")[i]));
    const read = Array.from({ length: heads }, (_, head) => {
      const part = (whole: Row) => whole.slice(head * own, (head + 1) * own);
      const removed = unit(product(part(k), part(vector("keyScale"))));
      const memory = S.slice(head * own, (head + 1) * own); // rows [dk] of this head
      const recalled = memory[0].map((_, j) =>
        memory.reduce((total, each, i) => total + each[j] * removed[i], 0),
      );
      for (const [i, each] of memory.entries()) {
        const channel = head * own + i;
        for (const j of each.keys())
          each[j] =
            decay[channel] * each[j] -
            removed[i] * a[channel] * recalled[j] +
            written[channel] * v[head * own + j];
      }
      const o = memory[0].map((_, j) =>
        memory.reduce((total, each, i) => total + each[j] * r[head * own + i], 0),
      );
      const centre = o.reduce((total, each) => total + each, 0) / own;
      const centred = o.map((each) => each - centre);
      const deviation = Math.sqrt(dot(centred, centred) / own + own * 1e-5);
      const bonus = dot(product(part(r), part(written)), part(vector("bonus")));
      return centred.map(
        (each, j) =>
          (each / deviation) * vector("norm")[head * own + j] +
          vector("normBias")[head * own + j] +
          bonus * part(v)[j],
      );
    });
    const gate = linear(linear(mixed("gate"), weights["gate.down"]).map(sigmoid), weights["gate.up"]);
    return linear(product(read.flat(), gate), weights.out);
  });
  if (first === undefined) offered.set("rwkv7.value", values);
  return y;
}

export const subject: Subject = {
  twin: rwkv7Naive,
  configs: [{ rank: 3, chunk: 3 }, { rateMax: 2 }],
  parameters: (d, { rank }, layer) => {
    const lowRanks = 2 * (2 * d * rank + d) + 2 * d * rank + (layer > 0 ? 2 * d * rank + d : 0);
    return 6 * d + 4 * d * d + lowRanks + 5 * d;
  },
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    removed: [B, T, h, d / h],
    rate: [B, T, d],
    decay: [B, T, d],
  }),
};
