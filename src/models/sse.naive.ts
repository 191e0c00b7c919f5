/**
 * @file Sparse state expansion in plain numbers: each memory sees only the tokens that chose it.
 *
 *     S = diag(a) S + k v';   S[p] = diag(a') S[p] + e[p] k' v' where p is chosen;   y_t = (norm(S' q + sum e[p] S[p]' q') o silu(x_t Wg)) Wo
 */

import { dplrNaive } from "../tensor/dplr.naive.ts";
import {
  convolve,
  gatedOutput,
  linear,
  queryKeyValue,
  type Row,
  type Rows,
  type Subject,
  sigmoid,
  silu,
  softmax,
  sum,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly partitions: number;
  readonly chosen: number;
}

/** x [T][d] -> [T][d]. */
function sseNaive(x: Rows, weights: Weights, { heads, partitions, chosen }: Own): number[][] {
  const d = x[0].length;
  const own = d / heads;
  const through = (row: Row, name: string) =>
    linear(linear(row, weights[`${name}.down`]), weights[`${name}.up`]);
  const logs = (name: string) =>
    x.map((row) =>
      sum(through(row, name), weights[`${name}.bias`][0]).map((each) => Math.log(sigmoid(each)) / 16),
    );
  const projected = x.map((row) => linear(row, weights.qkv));
  const { convolution } = weights;
  const mixed = (rows: Rows, first: number) =>
    convolution === undefined
      ? rows
      : convolve(
          rows,
          convolution.map((tap) => tap.slice(first, first + d)),
        );
  const queries = projected.map((row) => row.slice(0, d));
  const keys = projected.map((row) => row.slice(d, 2 * d));
  const sparse = {
    queries: mixed(
      queries.map((row, t) => sum(row, through(x[t], "query"))),
      0,
    ),
    keys: mixed(
      keys.map((row, t) => sum(row, through(x[t], "key"))),
      d,
    ),
  };
  const shares = x.map((row) => softmax(linear(row, weights.router)));
  const chooses = (t: number, p: number) =>
    shares[t].filter((each, other) => each > shares[t][p] || (each === shares[t][p] && other < p)).length <
    chosen;
  const [all, few] = [logs("decay"), logs("sparseDecay")];
  const read = Array.from({ length: heads }, (_, head) => {
    const of = (rows: Rows) => rows.map((row) => row.slice(head * own, (head + 1) * own));
    const queryOf = (rows: Rows) => of(rows).map((row) => row.map((each) => silu(each) / Math.sqrt(own)));
    const values = of(
      mixed(
        projected.map((row) => row.slice(2 * d)),
        2 * d,
      ).map((row) => row.map(silu)),
    );
    const total = dplrNaive(queryOf(mixed(queries, 0)), of(mixed(keys, d)).map(softmax), values, of(all));
    const [q, k, l] = [queryOf(sparse.queries), of(sparse.keys).map(softmax), of(few)];
    for (let p = 0; p < partitions; p++) {
      const tokens = [...x.keys()].filter((t) => chooses(t, p));
      if (tokens.length === 0) continue;
      const scaled = (rows: Rows) => tokens.map((t) => rows[t].map((each) => each * shares[t][p]));
      const given = [scaled(q), scaled(k), tokens.map((t) => values[t]), tokens.map((t) => l[t])] as const;
      for (const [i, row] of dplrNaive(...given).entries())
        for (const [j, each] of row.entries()) total[tokens[i]][j] += each;
    }
    return total;
  });
  return gatedOutput(x, read, weights);
}

export const subject: Subject = {
  twin: sseNaive,
  configs: [{}, { heads: 1, partitions: 5, chosen: 2, convolution: 3, chunk: 3 }],
  parameters: (d, { heads: h, partitions: N, convolution: K }) =>
    5 * d * d + 4 * 32 * d + 2 * d + N * d + 3 * K * d + d / h,
  taps: (B, T, d, { heads: h, partitions: N }) => ({
    ...queryKeyValue(B, T, d, h),
    sparseQuery: [B, T, h, d / h],
    sparseKey: [B, T, h, d / h],
    share: [B, T, N],
    decay: [B, T, (1 + N) * d],
  }),
};
