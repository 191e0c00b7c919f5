/**
 * @file DeltaProduct: DeltaNet with n steps of the delta rule per token.
 *
 *     q, k_1 .. k_n, v_1 .. v_n = silu(conv(x Wqkv));   b_1 .. b_n = betaMax sigmoid(x Wb)
 *     q = q / |q| / sqrt(dk);   k_j = k_j / |k_j|                                               in each head, |x| = sqrt(x'x + 1e-6)
 *     S = a_t S_{t-1};   for j = 1 .. n:  S = (I - b_j k_j k_j') S + b_j k_j v_j';   S_t = S    S [dk, dv] a head, S_0 = 0
 *     y_t = norm(S_t' q_t) Wout                                                                 RMSNorm over dv, one scale [dv] for all heads
 *     y_t = (norm(S_t' q_t) o silu(x_t Wg)) Wout                                                with `outputGate`
 *     a = 1, or with `decay` log a = -e^r softplus(x Wa + c)                                    a, r and c one number a head
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1                                         one filter of K taps a channel
 *
 * A product of n reflections can be a rotation (n = 2) or any permutation of n + 1 things, with one token each, where DeltaNet has one
 * reflection. It is DeltaNet on a sequence n times as long, read at every n-th step; the decay a is optional. fla's layer has the
 * decay, the gate and expandV 2 by default. Source: Siems et al.
 * 2025, arXiv:2502.10297.
 */

import { z } from "zod";
import { deltaRuleFrom } from "../tensor/delta-rule.ts";
import { gatedDeltaRuleFrom } from "../tensor/gated-delta-rule.ts";
import {
  deltaRule,
  exp,
  gatedDeltaRule,
  linear,
  multiply,
  pad,
  reshape,
  scale,
  sigmoid,
  silu,
  slice,
  split,
  type Tensor,
} from "../tensor/index.ts";
import { betaMaxField, firstRateField, memoryFields, outputGateField } from "./config-fields.ts";
import { decayParameters, logDecay, normal } from "./layers.ts";
import { asCell, atOnce, type MemoryRule, recall, writeDelta } from "./matrix-memory.ts";
import { defineMatrixMemory, gatedLayerParameters, unitQueryKeyValue } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  ...memoryFields(4, 32),
  householders: z.int().min(1).max(4).default(2).describe("Steps n of the delta rule for each token"),
  betaMax: betaMaxField,
  decay: z
    .boolean()
    .default(false)
    .describe("Whether the memory decays once per token, as in Gated DeltaNet"),
  outputGate: outputGateField(false),
  chunk: z
    .int()
    .positive()
    .default(32)
    .describe("Steps of the delta rule per chunk of the parallel form, without influence on the result"),
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const deltaproduct = defineMatrixMemory({
  name: "deltaproduct",
  summary: "DeltaNet with several steps of the delta rule per token",
  source: "arXiv:2502.10297",
  config,
  startsFrom: ["S"],

  traits: ({ householders: n, betaMax, decay }: Config) => ({
    recurrence: { least: leastOf(betaMax, n), complex: n > (betaMax === 2 ? 1 : 2), commuting: false },
    gate: { tap: "beta", maximum: betaMax },
    ...(decay && { keeps: "decay" }),
  }),

  init(config: Config, width, rng) {
    const { heads, householders, decay } = config;
    const own = {
      beta: normal(rng.fork("beta"), [width, householders * heads]),
      ...(decay && { decay: decayParameters(rng.fork("decay"), width, heads, config.firstRate) }),
    };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: inSteps,
  chunkOf: (tokens, { householders }) => atOnce(tokens * householders),

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // q [..., h, dk]; k, v [..., n h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), config.betaMax); // [..., n h]
    const logA = p.decay && logDecay(x, p.decay); // [..., h]
    const tapped = { query: q, key: k, value: v, beta, ...(logA && { decay: exp(logA) }) };
    return { given: { q, k, v, beta, logA }, tapped };
  },
});

type Given = Readonly<Record<"q" | "k" | "v" | "beta", Tensor>> & { readonly logA: Tensor | undefined };

/** The delta rule over n steps per token, read after the last. */
function inSteps({ heads, householders: n }: Config): MemoryRule<Given> {
  return {
    read(given, options) {
      const { rule, logA, atStep } = stepsOf(given, heads, n);
      const inSteps = { ...options, fresh: options.fresh && atStep(options.fresh, 0) };
      const all = logA ? gatedDeltaRule(...rule, logA, inSteps) : deltaRule(...rule, inSteps);
      return lastSteps(all, given.q, n);
    },
    readFrom(state, given, options) {
      const { rule, logA } = stepsOf(given, heads, n);
      const { o: all, S } = logA
        ? gatedDeltaRuleFrom(state.S, ...rule, logA, options)
        : deltaRuleFrom(state.S, ...rule, options);
      return { o: lastSteps(all, given.q, n), state: { S } };
    },
    step(state, { q, k, v, beta, logA }) {
      const perStep = new Array<number>(n).fill(heads);
      const [keys, values, betas] = [k, v, beta].map((each) => split(each, 1, perStep));
      const faded = logA ? multiply(state.S, asCell(exp(logA))) : state.S;
      const S = keys.reduce((before, key, j) => writeDelta(before, key, values[j], betas[j]), faded);
      return { o: recall(S, q), state: { S } };
    },
  };
}

/** q [B, T, h, dk], k, v, beta [B, T, n h, ...] -> those of each step, [B, n T, h, ...], and log a at the first step. */
function stepsOf({ q, k, v, beta, logA }: Given, heads: number, n: number) {
  const [batch, length] = q.shape;
  const each = (y: Tensor) => reshape(y, [batch, length * n, heads, ...y.shape.slice(3)]); // [B, n T, h, ...]
  // [B, T, h, ...] placed at one of the n steps of its token, zeros at the others.
  const atStep = (y: Tensor, step: number) => {
    const one = reshape(y, [batch, length, 1, ...y.shape.slice(2)]);
    return reshape(pad(one, 2, step, n - 1 - step), [batch, length * n, ...y.shape.slice(2)]);
  };
  const rule = [atStep(q, n - 1), each(k), each(v), each(beta)] as const;
  return { rule, logA: logA && atStep(logA, 0), atStep };
}

/** The outputs at the last step of each token: [B, n T, h, dv] -> [B, T, h, dv]. */
function lastSteps(all: Tensor, q: Tensor, n: number): Tensor {
  const [batch, length, heads] = q.shape;
  const last = slice(reshape(all, [batch, length, n, heads, -1]), 2, n - 1, n);
  return reshape(last, [batch, length, heads, -1]);
}

/** With b up to 2 each factor reflects. With b up to 1 each at most projects, and the order of projections matters. */
function leastOf(betaMax: number, n: number): number {
  if (betaMax === 2) return -1;
  return n < 3 ? 0 : -(Math.cos(Math.PI / n) ** n);
}
