/**
 * @file Sparse state expansion (SSE): gated linear attention with a shared memory and N more, K of which each token writes and reads.
 *
 *     q = x Wq, k = x Wk, v = x Wv;   q' = q + x Aq Bq,  k' = k + x Ak Bk                         through 16 numbers
 *     with `convolution` conv(.) of each (gla.ts), q' by the filters of q, and k' by those of k
 *     q, q' = silu(.) / sqrt(dk);   k, k' = softmax(.) in each head;   v = silu(.)
 *     l = log sigmoid(x Wdown Wup + c) / 16, and l' with separate weights                        [d]
 *     e = softmax(x We) [N], in which all but the K largest become 0
 *     S_t = diag(e^(l_t)) S_{t-1} + k_t v_t'                                                     S [dk, dv] a head, S_0 = 0
 *     S_t[p] = diag(e^(l'_t)) S_{t-1}[p] + e_t[p] k'_t v_t'      if e_t[p] > 0, else S_{t-1}[p] unchanged: it does not even decay
 *     o_t = S_t' q_t + sum_p e_t[p] S_t[p]' q'_t;   y_t = (norm(o_t) o silu(x_t Wg)) Wout
 *
 * State grows N + 1 times with few additional parameters, and rarely written memories last longer. Its transitions are those of gla.ts,
 * in [0, 1]: recall is measured in the zoo and by sse-partitions, and it can track neither parity nor any other order. With one memory,
 * N = 1, e is 1 at every token. With `balance`, uneven use is penalized in training, by that weight:
 *
 *     N / K sum_p mean(e_p) mean(1[p is chosen])         means over all tokens, e before sparsification; 1 for uniform use
 *
 * Source: arXiv:2507.16577; gate and norm are those of gla.ts, and so are the convolutions.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import {
  add,
  concat,
  divide,
  exp,
  expand,
  full,
  linear,
  multiply,
  reshape,
  scale,
  silu,
  softmax,
  split,
  sum,
  type Tensor,
} from "../tensor/index.ts";
import { largestOnes } from "../tensor/top-k.ts";
import { chunkField, convolutionField, headsField } from "./config-fields.ts";
import { lowRank, lowRankDecay, lowRankLogDecay, lowRankParameters, normal, splitHeads } from "./layers.ts";
import { diagonalPlusRankOne } from "./matrix-memory.ts";
import { defineMatrixMemory, gatedLayerParameters } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  heads: headsField(2),
  partitions: z.int().positive().default(4).describe("Memories N besides the shared one"),
  chosen: z.int().positive().default(1).describe("Memories K that a token writes and reads"),
  convolution: convolutionField(0),
  balance: z.number().min(0).default(0).describe("Weight of the load-balancing penalty, 0 for none"),
  chunk: chunkField(16),
});
type Config = z.infer<typeof config>;

/** Rank of the projections to the second queries and keys. */
const RANK = 16;

export const sse = defineMatrixMemory({
  name: "sse",
  summary: "sparse state expansion: gated linear attention with sparse memories",
  source: "arXiv:2507.16577",
  config,

  traits: ({ balance }: Config) => ({
    recurrence: { least: 0, complex: false, commuting: true },
    keeps: "decay",
    penalties: balance > 0 ? ["balance"] : [],
  }),
  startsFrom: ["S"],

  init({ partitions, chosen, ...config }: Config, width, rng) {
    if (chosen > partitions) fail("model.chosen", `at most ${partitions} (partitions)`, chosen);
    const own = {
      query: lowRankParameters(rng.fork("query"), width, RANK, width),
      key: lowRankParameters(rng.fork("key"), width, RANK, width),
      decay: lowRankDecay(rng.fork("decay"), width),
      sparseDecay: lowRankDecay(rng.fork("sparseDecay"), width),
      router: normal(rng.fork("router"), [width, partitions]),
    };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: diagonalPlusRankOne,
  chunkOf: (_, { chunk }) => chunk,
  project: (p, x) => projectionsOf(p, x),
  channels: (_, width) => 5 * width,
  shape: ({ heads, partitions }, width) => ({ S: [(1 + partitions) * heads, width / heads, width / heads] }),

  give(p, x, mixed, config, { penalty }) {
    const { shares, used, ...parts } = partsOf(p, x, mixed, config);
    if (config.balance > 0)
      penalty("balance", config.balance, (inUse) => unevenness(shares, used, inUse, config.chosen));
    return parts;
  },
  perHead: ofAll,
});

type LowRank = Readonly<Record<"down" | "up", Tensor>>;
type Parameters = Readonly<Record<"qkv" | "router", Tensor>> &
  Readonly<Record<"query" | "key", LowRank>> &
  Readonly<Record<"decay" | "sparseDecay", LowRank & { readonly bias: Tensor }>> & {
    readonly convolution?: Tensor;
  };

/** Weights and 1 where a memory is used, [B, T, N], over the tokens [B, T] in use: N / K sum_p mean(weight of p) mean(use of p). */
function unevenness(shares: Tensor, used: Tensor, inUse: Tensor, chosen: number): Tensor {
  const each = reshape(inUse, [...inUse.shape, 1]);
  const meanOf = (x: Tensor) => divide(sum(multiply(x, each), { axes: [0, 1] }), sum(inUse)); // [N]
  return scale(sum(multiply(meanOf(shares), meanOf(used))), shares.shape[2] / chosen);
}

/** x [..., d] -> q, k, v, q', k' side by side, [..., 5d], and their filters if any, [K, 5d]. */
function projectionsOf(p: Parameters, x: Tensor) {
  const width = x.shape.at(-1)!;
  const three = [width, width, width];
  const [queries, keys, values] = split(linear(x, p.qkv), -1, three);
  const sparse = [add(queries, lowRank(x, p.query)), add(keys, lowRank(x, p.key))];
  const [ofQueries, ofKeys, ofValues] = p.convolution === undefined ? [] : split(p.convolution, -1, three);
  return {
    inputs: concat([queries, keys, values, ...sparse], -1),
    filters: ofValues && concat([ofQueries, ofKeys, ofValues, ofQueries, ofKeys], -1),
  };
}

/** The outputs of all memories, [B, T, (1 + N) h, dv] -> the sum over those of each head, [B, T, h, dv]. */
function ofAll(o: Tensor, { heads, partitions }: Config): Tensor {
  const [batch, length, , own] = o.shape;
  return sum(reshape(o, [batch, length, 1 + partitions, heads, own]), { axes: [2] });
}

/** x [..., d] and its projections [..., 5d] -> the memories' inputs, [..., (1 + N) h, dk], the shared one first, and the taps. */
function partsOf(p: Parameters, x: Tensor, mixed: Tensor, { heads, partitions, chosen }: Config) {
  const width = x.shape.at(-1)!;
  const leading = x.shape.slice(0, -1);
  const [queries, keys, values, sparseQueries, sparseKeys] = split(
    mixed,
    -1,
    new Array<number>(5).fill(width),
  );
  const queryOf = (each: Tensor) => scale(silu(splitHeads(each, heads)), (width / heads) ** -0.5);
  const keyOf = (each: Tensor) => softmax(splitHeads(each, heads));
  const [query, key, value] = [queryOf(queries), keyOf(keys), silu(splitHeads(values, heads))];
  const [sparseQuery, sparseKey] = [queryOf(sparseQueries), keyOf(sparseKeys)];
  const logsOf = (decay: Parameters["decay"]) => splitHeads(lowRankLogDecay(x, decay), heads);
  const shares = softmax(linear(x, p.router)); // [..., N]
  const used = largestOnes(shares, chosen);
  const share = multiply(shares, used);
  /** For each memory: `first` for the shared one, for the others `rest` times a number each. */
  const forAll = (first: Tensor, rest: Tensor, times: Tensor) => {
    const [h, own] = rest.shape.slice(-2);
    const each = multiply(
      reshape(rest, [...leading, 1, h, own]),
      reshape(times, [...leading, partitions, 1, 1]),
    );
    return concat([first, reshape(each, [...leading, partitions * h, own])], -2);
  };
  const given = {
    q: forAll(query, sparseQuery, share),
    k: forAll(key, sparseKey, share),
    v: forAll(value, value, expand(full(x.graph, [1], 1), used.shape)),
    logDecay: forAll(logsOf(p.decay), logsOf(p.sparseDecay), used),
  };
  const decay = reshape(exp(given.logDecay), [...leading, (1 + partitions) * width]);
  return { given, shares, used, tapped: { query, key, value, sparseQuery, sparseKey, share, decay } };
}
