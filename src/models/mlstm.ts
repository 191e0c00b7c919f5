/**
 * @file mLSTM: an additive matrix memory with exponential gates and a normalizer.
 *
 *     q, k, v = silu(conv(x Wqkv));   q = q / sqrt(dk)               in each head
 *     i = x Wi + b_i;   f = sigmoid(x Wf + b_f)                      one number a head
 *     m_t = max(log f_t + m_{t-1}, i_t);   f' = e^(log f_t + m_{t-1} - m_t);   i' = e^(i_t - m_t)
 *     S_t = f' S_{t-1} + i' k_t v_t';   n_t = f' n_{t-1} + i' k_t    S [dk, dv], n [dk] a head; all from 0
 *     h_t = S_t' q_t / max(|n_t' q_t|, e^-m_t)
 *     y_t = (norm(h_t) o sigmoid(x_t Wo + c)) Wout                   RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1              one filter of K taps a channel
 *
 * The memory is never corrected, only decayed: all eigenvalues of the transition are one f in (0, 1).
 * Source: Beck et al. 2024, arXiv:2405.04517.
 */

import { z } from "zod";
import { add, exp, linear, scale, sigmoid, silu, split, type Tensor } from "../tensor/index.ts";
import { chunkField, convolutionField, headsField } from "./config-fields.ts";
import { constantParameter, logSigmoid, makeParameter, normal, splitHeads } from "./layers.ts";
import { normalized } from "./matrix-memory.ts";
import { defineMatrixMemory, layerParameters } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  heads: headsField(2),
  convolution: convolutionField(4),
  chunk: chunkField(32),
});
type Config = z.infer<typeof config>;

export const mlstm = defineMatrixMemory({
  name: "mlstm",
  summary: "xLSTM's matrix memory, with exponential gates and a normalizer",
  source: "arXiv:2405.04517",
  config,

  traits: () => ({ recurrence: { least: 0, complex: false, commuting: true }, keeps: "forget" }),
  startsFrom: ["S"],

  init(config: Config, width, rng) {
    const { heads } = config;
    const bias = (_: unknown, i: number) => (i < heads ? 0 : 3 + (3 * (i - heads)) / Math.max(1, heads - 1)); // i from 0, f spread over 3 .. 6, as in the authors' code
    const own = {
      gates: normal(rng.fork("gates"), [width, 2 * heads]),
      gatesBias: makeParameter([2 * heads], () => Float32Array.from({ length: 2 * heads }, bias)),
    };
    return layerParameters(rng, width, config, own, {
      outputGate: normal(rng.fork("outputGate"), [width, width]),
      outputGateBias: constantParameter([width], 0),
    });
  },

  rule: normalized,
  chunkOf: (tokens) => tokens,
  gate: (p, x) => sigmoid(add(linear(x, p.outputGate), p.outputGateBias)),
  shape: ({ heads }, width) => ({ S: [heads, width / heads, width / heads + 1], m: [heads] }), // n is the last column

  give(p, x, mixed, { heads }) {
    const width = x.shape.at(-1)!;
    const [query, k, v] = split(silu(mixed), -1, [width, width, width]).map((each) =>
      splitHeads(each, heads),
    );
    const q = scale(query, (width / heads) ** -0.5); // [..., h, dk]
    const { input, logForget } = gatesFrom(linear(x, p.gates), p.gatesBias); // [..., h]
    const tapped = { query: q, key: k, value: v, input, forget: exp(logForget) };
    return { given: { q, k, v, input, logForget }, tapped };
  },
});

/** x + bias [2h] -> i and log sigmoid(f), [..., h] each. */
export function gatesFrom(x: Tensor, bias: Tensor) {
  const heads = bias.shape[0] / 2;
  const [input, forget] = split(add(x, bias), -1, [heads, heads]);
  return { input, logForget: logSigmoid(forget) };
}
