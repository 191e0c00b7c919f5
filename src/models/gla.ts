/**
 * @file Gated linear attention (GLA): an additive memory with a decay per row.
 *
 *     q, k, v = x Wqkv, or with `convolution` silu(conv(x Wqkv));   q = q / sqrt(dk)
 *     l = log sigmoid(x Wdown Wup + c) / 16            l [d], through 16 numbers;  l = 0 without `decay`
 *     S_t = diag(e^(l_t)) S_{t-1} + k_t v_t'           S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o silu(x_t Wg)) Wout       RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *
 * Its state only decays, at rates between 0 and 1: it can sum and recall, and track neither parity nor any other order. Without `decay`
 * it is plain linear attention. Source: Yang et al. 2023, arXiv:2312.06635; without decay: Katharopoulos et al. 2020, arXiv:2006.16236.
 */

import { z } from "zod";
import { exp, full, linear, scale, silu, split } from "../tensor/index.ts";
import { chunkField, convolutionField, headsField } from "./config-fields.ts";
import { lowRankDecay, lowRankLogDecay, normal, splitHeads } from "./layers.ts";
import { diagonalPlusRankOne } from "./matrix-memory.ts";
import { defineMatrixMemory, layerParameters } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  heads: headsField(2),
  decay: z.boolean().default(true).describe("Whether the memory decays, false for plain linear attention"),
  convolution: convolutionField(0),
  chunk: chunkField(16),
});
type Config = z.infer<typeof config>;

export const gla = defineMatrixMemory({
  name: "gla",
  summary: "gated linear attention: an additive memory with a decay per channel",
  source: "arXiv:2312.06635, arXiv:2006.16236",
  config,

  traits: ({ decay }: Config) => ({
    recurrence: { least: 0, complex: false, commuting: true, ...(!decay && { fixed: true }) },
    ...(decay && { keeps: "decay" }),
  }),
  startsFrom: ["S"],

  init({ decay, ...config }: Config, width, rng) {
    const own = decay && { decay: lowRankDecay(rng.fork("decay"), width) };
    return layerParameters(
      rng,
      width,
      config,
      { ...own },
      { gate: normal(rng.fork("gate"), [width, width]) },
    );
  },

  rule: diagonalPlusRankOne,
  chunkOf: (tokens) => tokens,
  gate: (p, x) => silu(linear(x, p.gate)),

  give(p, x, mixed, { heads }) {
    const width = x.shape.at(-1)!;
    const projected = p.convolution === undefined ? mixed : silu(mixed);
    const [query, k, v] = split(projected, -1, [width, width, width]).map((each) => splitHeads(each, heads));
    const q = scale(query, (width / heads) ** -0.5);
    if (p.decay === undefined) {
      const logDecay = full(x.graph, k.shape.slice(0, -1), 0);
      return { given: { q, k, v, logDecay }, tapped: { query: q, key: k, value: v } };
    }
    const logs = lowRankLogDecay(x, p.decay); // [..., d]
    return {
      given: { q, k, v, logDecay: splitHeads(logs, heads) },
      tapped: { query: q, key: k, value: v, decay: exp(logs) },
    };
  },
});
