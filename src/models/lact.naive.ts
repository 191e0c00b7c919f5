/**
 * @file LaCT in plain numbers: a network per head, trained on its chunk's tokens when the chunk is full.
 *
 *     f(x) = W1 (silu(W0 x) o W2 x);   W += the sum over the chunk of e times the gradient of f(k) . v, then rows rescaled to their initial length
 */

import {
  dot,
  linear,
  product,
  queryKeyValue,
  type Row,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  silu,
  softmax,
  softplus,
  sum,
  unit,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly chunk: number;
  readonly window: number;
  readonly momentum: boolean;
  readonly orthogonal: boolean;
}

/** W0, W1, W2 as matrices that apply to columns: [dh, dk], [dv, dh], [dh, dk]. */
type Network = readonly [Rows, Rows, Rows];

interface Token {
  readonly k: Row;
  readonly v: Row;
  readonly rates: Row;
  readonly keep: number;
}

const transposed = (W: Rows) => W[0].map((_, j) => W.map((row) => row[j]));
const times = (W: Rows, x: Row) => W.map((row) => dot(row, x));
const both = (A: Rows, B: Rows, make: (a: number, b: number) => number) =>
  A.map((row, i) => row.map((each, j) => make(each, B[i][j])));
const outer = (a: Row, b: Row) => a.map((each) => b.map((other) => each * other));
const multiplied = (A: Rows, B: Rows) => A.map((row) => linear(row, B));

function read([W0, W1, W2]: Network, x: Row): number[] {
  return times(W1, product(times(W0, x).map(silu), times(W2, x)));
}

/** e times the gradient of f(k) . v in each of the weights. */
function slope([W0, W1, W2]: Network, { k, v, rates }: Token): Network {
  const [u, m] = [times(W0, k), times(W2, k)];
  const D = times(transposed(W1), v);
  const bend = u.map((each) => sigmoid(each) * (1 + each * (1 - sigmoid(each))));
  const at = (rate: number, row: Row) => row.map((each) => rate * each);
  return [
    outer(at(rates[0], product(product(D, m), bend)), k),
    outer(at(rates[1], v), product(u.map(silu), m)),
    outer(at(rates[2], product(D, u.map(silu))), k),
  ];
}

/** Newton-Schulz iteration: singular values near 1. */
export function orthogonal(G: Rows): Rows {
  const size = Math.sqrt(G.flat().reduce((total, each) => total + each * each, 1e-14));
  let X: Rows = G.map((row) => row.map((each) => each / size));
  for (const [a, b, c] of [
    [4.0848, -6.8946, 2.927],
    [3.9505, -6.3029, 2.6377],
    [3.7418, -5.5913, 2.3037],
    [2.8769, -3.1427, 1.2046],
    [2.8366, -3.0525, 1.2012],
  ]) {
    const A = multiplied(X, transposed(X));
    const change = multiplied(
      both(A, multiplied(A, A), (one, two) => b * one + c * two),
      X,
    );
    X = both(X, change, (x, y) => a * x + y);
  }
  return X;
}

const lengths = (W: Rows) => W.map((row) => Math.sqrt(dot(row, row) + 1e-14));

/** One head: its outputs, and its weight updates. */
function headOf(
  start: Network,
  tokens: readonly Token[],
  queries: Rows,
  { chunk, momentum, orthogonal: turns }: Own,
) {
  let network = start;
  let last: Network | undefined;
  let open: Token[] = [];
  return queries.map((q, t) => {
    const said = read(network, q);
    open.push(tokens[t]);
    if (open.length < chunk) return said;
    const found = open.map((token) => slope(network, token));
    const keep = open.reduce((total, each) => total + each.keep, 0) / chunk;
    const change = [0, 1, 2].map((i) => {
      const total = found.map((each) => each[i]).reduce((A, B) => both(A, B, (a, b) => a + b));
      return momentum && last !== undefined ? both(total, last[i], (a, b) => a + keep * b) : total;
    }) as unknown as Network; // three of three
    network = network.map((W, i) => {
      const gone = both(W, turns ? orthogonal(change[i]) : change[i], (a, b) => a + b);
      const [now, first] = [lengths(gone), lengths(start[i])];
      return gone.map((row, at) => row.map((each) => (each / now[at]) * first[at]));
    }) as unknown as Network; // three of three
    last = change;
    open = [];
    return said;
  });
}

/** x [T][d] -> [T][d]. */
function lactNaive(x: Rows, weights: Weights, config: Own): number[][] {
  const { heads, window, momentum } = config;
  const d = x[0].length;
  const own = d / heads;
  const projected = x.map((row) => linear(row, weights.qkv));
  const part = (which: number) => projected.map((row) => row.slice(which * d, (which + 1) * d));
  const [queries, keys, values] = [part(0), part(1), part(2)];
  const fast = (rows: Rows, name: string) =>
    rows.map((row) => sum(product(row, weights[`${name}Scale`][0]), weights[`${name}Offset`][0]).map(silu));
  const [q, k, v] = [fast(queries, "query"), fast(keys, "key"), values.map((row) => row.map(silu))];
  const rates = x.map((row) => sum(linear(row, weights.rate), weights.rateBias[0]).map(softplus));
  const keeps = x.map((row) =>
    momentum ? sum(linear(row, weights.momentum), weights.momentumBias[0]).map(sigmoid) : [],
  );
  const [scale] = weights.norm;
  const read = Array.from({ length: heads }, (_, head) => {
    const of = (row: Row) => row.slice(head * own, (head + 1) * own);
    const matrix = (name: string) => {
      const rows = weights[name];
      const count = rows.length / heads;
      return transposed(rows.slice(head * count, (head + 1) * count));
    };
    const tokens = x.map((_row, t) => ({
      k: unit(of(k[t])),
      v: of(v[t]),
      rates: rates[t].slice(3 * head, 3 * head + 3),
      keep: keeps[t][head],
    }));
    const start: Network = [matrix("fastGate"), matrix("fastDown"), matrix("fastUp")];
    const said = headOf(
      start,
      tokens,
      q.map((row) => unit(of(row))),
      config,
    );
    return said.map((row, t) => {
      const normed = rmsNorm(row, scale);
      if (window === 0) return normed;
      const seen = [...x.keys()].slice(Math.max(0, t - window + 1), t + 1);
      const shares = softmax(seen.map((s) => dot(of(queries[t]), of(keys[s])) / Math.sqrt(own)));
      return seen.reduce(
        (total, s, i) => total.map((each, j) => each + shares[i] * of(values[s])[j]),
        normed,
      );
    });
  });
  return x.map((_row, t) =>
    linear(
      read.flatMap((each) => each[t]),
      weights.out,
    ),
  );
}

export const subject: Subject = {
  twin: lactNaive,
  configs: [
    { chunk: 5, window: 6 },
    { heads: 1, chunk: 3, window: 3, expansion: 2, momentum: false },
    { chunk: 16, window: 17, orthogonal: true },
  ],
  parameters: (d, { heads: h, expansion, momentum }) =>
    4 * d * d + 4 * d + 3 * h * (d + 1) + (momentum ? h * (d + 1) : 0) + (3 * expansion * d * d) / h + d / h,
  taps: (B, T, d, { heads: h, momentum }) => ({
    ...queryKeyValue(B, T, d, h),
    rate: [B, T, h, 3],
    ...(momentum && { momentum: [B, T, h] }),
  }),
};
