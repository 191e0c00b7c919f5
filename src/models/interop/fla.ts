/**
 * @file DeltaNet and Gated DeltaNet of flash-linear-attention, and their common parts: names, short convolution, the delta rule's beta.
 *
 *     theirs                                             ours
 *     model.layers.L.attn.b_proj, o_norm                 layers.L.mixer.beta, norm
 *     model.layers.L.attn.{q,k,v}_conv1d.weight [d, 1, K]    layers.L.mixer.convolution [K, 3d]
 */

import { deltanet } from "../deltanet.ts";
import { gatedDeltanet } from "../gated-deltanet.ts";
import { defineFamily, type ForeignConfig, type StackNames } from "./family.ts";
import { linear, plain, taps } from "./tensors.ts";

const names: StackNames = {
  ...{ embedding: "model.embeddings", norm: "model.norm", layers: "model.layers" },
  ...{ mixerNorm: "attn_norm", mixer: "attn", feedForwardNorm: "mlp_norm" },
};
const fields = { num_heads: "heads", norm_eps: "normEpsilon" };
const fixed = { hidden_act: ["swish", "silu"], conv_bias: [false], attn: [] };

const readDelta = (theirs: ForeignConfig) => ({
  betaMax: theirs.allow_neg_eigval === true ? 2 : 1,
  convolution: theirs.use_short_conv === false ? 0 : Number(theirs.conv_size ?? 4),
});

const writeDelta = ({
  betaMax,
  convolution,
}: {
  readonly betaMax: number;
  readonly convolution: number;
}) => ({
  ...{ allow_neg_eigval: betaMax === 2, use_short_conv: convolution > 0, conv_size: convolution || 4 },
  ...{ attn_mode: "chunk", expand_v: 1 },
});

const deltaParts = {
  qkv: linear("q_proj", "k_proj", "v_proj"),
  convolution: taps("q_conv1d", "k_conv1d", "v_conv1d"),
  beta: linear("b_proj"),
  norm: plain("o_norm.weight"),
  out: linear("o_proj"),
};

/*
 * DeltaNet of flash-linear-attention: our `deltanet`.
 *
 *     theirs      as decoder.ts and above; allow_neg_eigval is betaMax 2
 *     refused     gates, expand_k or expand_v other than 1, hybrid layers, norms of q and k other than l2
 *
 * Source: github.com/fla-org/flash-linear-attention (layers/delta_net).
 */

export const deltaNet = defineFamily({
  architecture: "DeltaNetForCausalLM",
  source: "github.com/fla-org/flash-linear-attention, layers/delta_net",
  mixer: deltanet,
  names,
  fields,
  fixed: {
    ...fixed,
    ...{ expand_k: [1], expand_v: [1], use_gate: [false], use_beta: [true], use_output_norm: [true] },
    ...{ qk_norm: ["l2"], qk_activation: ["silu"] },
  },
  read: readDelta,
  write: writeDelta,
  parts: () => deltaParts,
});

/*
 * Gated DeltaNet of flash-linear-attention: our `gated-deltanet`.
 *
 *     theirs                                             ours, in addition to decoder.ts and the delta rule's
 *     model.layers.L.attn.g_proj                         layers.L.mixer.gate
 *     model.layers.L.attn.a_proj, dt_bias, A_log         layers.L.mixer.decay.weight, decay.bias, decay.logRate
 *
 *     refused     expand_v other than 1 (fla's default is 2), grouped values, no gate
 *
 * Source: github.com/fla-org/flash-linear-attention (layers/gated_deltanet).
 */

export const gatedDeltaNet = defineFamily({
  architecture: "GatedDeltaNetForCausalLM",
  source: "github.com/fla-org/flash-linear-attention, layers/gated_deltanet",
  mixer: gatedDeltanet,
  names,
  fields,
  fixed: { ...fixed, use_gate: [true], output_gate_activation: ["swish"] },
  read(theirs, checks) {
    checks.must("expand_v", 1, "2, the default");
    checks.may("num_v_heads", [theirs.num_heads]);
    checks.may("head_dim", [Number(theirs.hidden_size) / Number(theirs.num_heads)]);
    return readDelta(theirs);
  },
  write: (ours) => ({ ...writeDelta(ours), head_dim: ours.width / ours.heads }),
  parts: () => ({
    ...deltaParts,
    gate: linear("g_proj"),
    "decay.weight": linear("a_proj"),
    "decay.bias": plain("dt_bias"),
    "decay.logRate": plain("A_log"),
  }),
});
