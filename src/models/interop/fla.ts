/**
 * @file Families of flash-linear-attention (fla), and their common parts: names around the mixers, q, k and v, the delta rule's beta.
 *
 *     theirs                                                   ours
 *     attn.{q,k,v}_proj, attn.{q,k,v}_conv1d.weight [n, 1, K]  layers.L.mixer.qkv, convolution [K, 3 n]
 *     attn.o_norm, o_proj, g_proj                              norm, out, gate
 *     attn.b_proj                                              beta
 *     attn.a_proj, dt_bias, A_log                              decay.weight, decay.bias, decay.logRate
 *     expand_k, expand_v or head_dim, num_v_heads              expandK, expandV, keyHeads
 *
 * Source: github.com/fla-org/flash-linear-attention, layers and models by the name of each `model_type`.
 */

import { fail } from "../../core/error.ts";
import { deltanet } from "../deltanet.ts";
import { deltaproduct } from "../deltaproduct.ts";
import { fox } from "../fox.ts";
import { gatedDeltanet } from "../gated-deltanet.ts";
import { gla as glaMixer } from "../gla.ts";
import { kda as kdaMixer } from "../kda.ts";
import { memoryWidths, type Widths } from "../matrix-memory-layer.ts";
import { path } from "../path.ts";
import { type Checks, defineFamily, type ForeignConfig, type StackNames } from "./family.ts";
import { linear, type Part, plain, taps } from "./tensors.ts";

const source = "github.com/fla-org/flash-linear-attention";
const names: StackNames = {
  ...{ embedding: "model.embeddings", norm: "model.norm", layers: "model.layers" },
  ...{ mixerNorm: "attn_norm", mixer: "attn", feedForwardNorm: "mlp_norm" },
};
const fields = { num_heads: "heads", norm_eps: "normEpsilon" };
const fixed = { hidden_act: ["swish", "silu"], attn: [], conv_bias: [false] };
const expandFields = { expand_k: "expandK", expand_v: "expandV" };

type Short = { readonly convolution: number };
const readShort = (theirs: ForeignConfig) => ({
  convolution: theirs.use_short_conv === false ? 0 : Number(theirs.conv_size ?? 4),
});
const writeShort = ({ convolution }: Short) => ({
  use_short_conv: convolution > 0,
  conv_size: convolution || 4,
});

type Delta = Short & { readonly betaMax: number };
const readDelta = (theirs: ForeignConfig) => ({
  betaMax: theirs.allow_neg_eigval === true ? 2 : 1,
  ...readShort(theirs),
});
const writeDelta = (ours: Delta) => ({ allow_neg_eigval: ours.betaMax === 2, ...writeShort(ours) });

/** Layers with `head_dim`, whose values are `expand_v` times as wide. */
const readHeads = (theirs: ForeignConfig, { number }: Checks) => {
  const numbers = ["hidden_size", "head_dim", "num_heads", "expand_v"].map((key) => Number(number(key)));
  const [width, own, keyHeads, expandV] = numbers;
  const heads = Number(theirs.num_v_heads ?? keyHeads);
  return {
    ...{ heads, ...(heads !== keyHeads && { keyHeads }) },
    ...{ expandK: (keyHeads * own) / width, expandV: (heads * own * expandV) / width },
  };
};
const writeHeads = (ours: Widths & { readonly width: number }) => {
  const { dk, dv } = memoryWidths(ours, ours.width);
  const { heads, keyHeads = heads } = ours;
  return {
    ...{ head_dim: dk, expand_v: dv / dk, num_heads: keyHeads },
    ...(keyHeads !== heads && { num_v_heads: heads }),
  };
};

/** q, k and v with their filters, and the output. */
const partsOf = (ours: Widths & { readonly width: number }) => {
  const { keys, values } = memoryWidths(ours, ours.width);
  const { householders: n = 1 } = ours;
  const widths = [keys, n * keys, n * values];
  const each = (part: Part): Part => ({ ...part, widths });
  return {
    qkv: each(linear("q_proj", "k_proj", "v_proj")),
    convolution: each(taps("q_conv1d", "k_conv1d", "v_conv1d")),
    norm: plain("o_norm.weight"),
    gate: linear("g_proj"),
    out: linear("o_proj"),
  };
};
const beta = linear("b_proj");
const decayParts = {
  "decay.weight": linear("a_proj"),
  "decay.bias": plain("dt_bias"),
  "decay.logRate": plain("A_log"),
};

/** Refused: other activations and norms of q and k, no beta. */
export const deltaNet = defineFamily({
  architecture: "DeltaNetForCausalLM",
  source,
  mixer: deltanet,
  names,
  fields: { ...fields, ...expandFields, use_gate: "outputGate" },
  fixed: {
    ...{ ...fixed, use_beta: [true], use_output_norm: [true] },
    ...{ qk_norm: ["l2"], qk_activation: ["silu"] },
  },
  read: readDelta,
  write: writeDelta,
  parts: (ours) => ({ ...partsOf(ours), beta }),
});

/** Refused: gates by a sigmoid. */
export const gatedDeltaNet = defineFamily({
  architecture: "GatedDeltaNetForCausalLM",
  source,
  mixer: gatedDeltanet,
  names,
  fields: { ...fields, use_gate: "outputGate" },
  fixed: { ...fixed, output_gate_activation: ["swish", "silu"] },
  read: (theirs, checks) => ({ ...readDelta(theirs), ...readHeads(theirs, checks) }),
  write: (ours) => ({ ...writeDelta(ours), ...writeHeads(ours) }),
  parts: (ours) => ({ ...partsOf(ours), beta, ...decayParts }),
});

export const gatedDeltaProduct = defineFamily({
  architecture: "GatedDeltaProductForCausalLM",
  source,
  mixer: deltaproduct,
  names,
  fields: {
    ...{ ...fields, use_output_gate: "outputGate", use_forget_gate: "decay" },
    num_householder: "householders",
  },
  fixed,
  read(theirs, checks) {
    checks.may("num_v_heads", []);
    return { ...readDelta(theirs), ...readHeads(theirs, checks) };
  },
  write: (ours) => ({ ...writeDelta(ours), ...writeHeads(ours) }),
  parts: (ours) => ({ ...partsOf(ours), beta, ...decayParts }),
});

/** Refused: decays with a lower bound. Our layer without `gateBias` has a bias of zeros there. */
export const kda = defineFamily({
  architecture: "KDAForCausalLM",
  source,
  mixer: kdaMixer,
  names,
  fields,
  fixed: { ...fixed, safe_gate: [false], lower_bound: [] },
  read: (theirs, checks) => ({ ...readDelta(theirs), ...readHeads(theirs, checks), gateBias: true }),
  write: (ours) => ({ ...writeDelta(ours), ...writeHeads(ours) }),
  parts: (ours) => ({
    ...{ ...partsOf(ours), beta, ...decayParts },
    ...{ "decay.down": linear("f_proj.0"), "decay.up": linear("f_proj.1") },
    ...{
      "gate.down": linear("g_proj.0"),
      "gate.up": linear("g_proj.1"),
      "gate.bias": plain("g_proj.1.bias"),
    },
  }),
  zeros: (ours) => ({ "gate.bias": [memoryWidths(ours, ours.width).values] }),
});

/** Refused: keys and values shared by several heads, feature maps, bounded decays. */
export const gla = defineFamily({
  architecture: "GLAForCausalLM",
  source,
  mixer: glaMixer,
  names,
  fields: { ...fields, ...expandFields, use_output_gate: "outputGate" },
  fixed: {
    ...{ ...fixed, feature_map: [], clamp_min: [], elementwise_affine: [true], use_gk: [true] },
    ...{ use_gv: [false], fuse_norm: [true] },
  },
  read(theirs, checks) {
    checks.may("num_kv_heads", [theirs.num_heads]);
    return readShort(theirs);
  },
  own: { decay: true },
  write: writeShort,
  parts: (ours) => ({
    ...partsOf(ours),
    ...{ "decay.down": linear("gk_proj.0"), "decay.up": linear("gk_proj.1") },
    "decay.bias": plain("gk_proj.1.bias"),
    norm: plain(ours.outputGate ? "g_norm_swish_gate.weight" : "g_norm.weight"),
  }),
});

/** GLA without decay, gate and convolution. Refused: feature maps, norms of q and k. */
export const linearAttention = defineFamily({
  architecture: "LinearAttentionForCausalLM",
  source,
  mixer: glaMixer,
  names,
  fields: { ...fields, ...expandFields },
  fixed: {
    ...{ ...fixed, feature_map: ["identity"], norm_q: [false], norm_k: [false], norm_feature_map: [false] },
    ...{ tie_feature_map_qk: [false, true], elementwise_affine: [true] },
  },
  read(theirs, checks) {
    checks.must("feature_map", "identity", "elementwise_product, the default");
    checks.may("num_kv_heads", [theirs.num_heads]);
    return {};
  },
  own: { decay: false, outputGate: false, convolution: 0 },
  write: () => ({}),
  parts: (ours) => ({ ...partsOf(ours), norm: plain("norm.weight") }),
});

/** Refused: windows, biases, fewer heads of keys than of queries. */
export const forgettingTransformer = defineFamily({
  architecture: "ForgettingTransformerForCausalLM",
  source,
  mixer: fox,
  names,
  fields: { ...fields, qk_norm: "queryKeyNorm", use_output_gate: "outputGate" },
  fixed: { ...fixed, qkv_bias: [false], window_size: [], elementwise_affine: [true] },
  read(theirs, checks) {
    checks.may("num_kv_heads", [theirs.num_heads]);
    return {};
  },
  own: { convolution: 0 },
  write: () => ({}),
  parts: () => ({
    ...{ qkv: linear("q_proj", "k_proj", "v_proj"), forget: linear("f_proj"), gate: linear("g_proj") },
    ...{ queryNorm: plain("q_norm.weight"), keyNorm: plain("k_norm.weight") },
    ...{ forgetBias: plain("f_proj.bias"), out: linear("o_proj") },
  }),
});

/** Refused: fewer heads of keys than of queries, w by one matrix. */
export const pathAttention = defineFamily({
  architecture: "PaTHAttentionForCausalLM",
  source,
  mixer: path,
  names,
  fields: { ...fields, use_forget_gate: "forgetGate" },
  fixed: { ...fixed, use_low_rank_w: [true], elementwise_affine: [true] },
  read(theirs, checks) {
    checks.may("num_kv_heads", [theirs.num_heads]);
    return { convolution: theirs.use_w_shortconv === false ? 0 : 3 };
  },
  own: { convolveAll: false },
  write({ convolution }, at) {
    if (convolution !== 0 && convolution !== 3)
      fail(`${at}, model.convolution`, "3, as fla's layer", convolution);
    return { use_w_shortconv: convolution > 0 };
  },
  parts: () => ({
    ...{ qkv: linear("q_proj", "k_proj", "v_proj"), convolution: taps("w_conv1d"), out: linear("o_proj") },
    ...{ "reflection.down": linear("w_proj.0"), "reflection.up": linear("w_proj.1") },
    ...{ beta: linear("bt_proj"), betaBias: plain("bt_proj.bias") },
    ...{ forget: linear("g_proj"), forgetBias: plain("g_proj.bias") },
  }),
});
