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
 * it is plain linear attention. fla's layer has expandK 0.5 by default. Source: Yang et al. 2023, arXiv:2312.06635; without decay:
 * Katharopoulos et al. 2020, arXiv:2006.16236.
 */

import { z } from "zod";
import { exp, full, scale, silu } from "../tensor/index.ts";
import { memoryFields, outputGateField } from "./config-fields.ts";
import { lowRankDecay, lowRankLogDecay, splitHeads } from "./layers.ts";
import { diagonalPlusRankOne } from "./matrix-memory.ts";
import {
  defineMatrixMemory,
  gatedLayerParameters,
  memoryWidths,
  queryKeyValue,
} from "./matrix-memory-layer.ts";

const config = z.strictObject({
  ...memoryFields(0, 16),
  decay: z.boolean().default(true).describe("Whether the memory decays, false for plain linear attention"),
  outputGate: outputGateField(true),
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
    const { keys } = memoryWidths(config, width);
    const own = { ...(decay && { decay: lowRankDecay(rng.fork("decay"), width, keys) }) };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: diagonalPlusRankOne,
  chunkOf: (tokens) => tokens,

  give(p, x, mixed, config) {
    const projected = p.convolution === undefined ? mixed : silu(mixed);
    const { q: query, k, v } = queryKeyValue(projected, x.shape.at(-1)!, config);
    const q = scale(query, query.shape.at(-1)! ** -0.5);
    if (p.decay === undefined) {
      const logDecay = full(x.graph, k.shape.slice(0, -1), 0);
      return { given: { q, k, v, logDecay }, tapped: { query: q, key: k, value: v } };
    }
    const logs = lowRankLogDecay(x, p.decay); // [..., h dk]
    return {
      given: { q, k, v, logDecay: splitHeads(logs, config.heads) },
      tapped: { query: q, key: k, value: v, decay: exp(logs) },
    };
  },
});
