/**
 * @file DeltaNet and Gated DeltaNet of flash-linear-attention, and their common parts: names, short convolution, the delta rule's beta.
 *
 *     theirs                                             ours
 *     model.layers.L.attn.b_proj, o_norm                 layers.L.mixer.beta, norm
 *     model.layers.L.attn.{q,k,v}_conv1d.weight [d, 1, K]    layers.L.mixer.convolution [K, 3d]
 */

import {
  type DecoderNames,
  decoderTensors,
  decoderWeights,
  type MixerReader,
  type OwnMixer,
} from "./decoder.ts";
import {
  type Checks,
  defineFamily,
  type ForeignConfig,
  type ForeignModel,
  type OwnModel,
  type Weights,
} from "./family.ts";
import { channelsFirst, channelsLast, sideBySide, splitColumns, transposed } from "./tensors.ts";

const flaNames: DecoderNames = {
  embedding: "embeddings",
  firstNorm: "attn_norm",
  mixer: "attn",
  secondNorm: "mlp_norm",
};

/** Checks for both delta rules; each adds more. */
function flaConfig(theirs: ForeignConfig, { may }: Checks, mixer: string): ForeignModel {
  may("hidden_act", ["silu", "swish"]);
  may("conv_bias", [false]);
  may("attn", []);
  return {
    mixer,
    heads: Number(theirs.num_heads),
    ...{ layers: Number(theirs.num_hidden_layers), epsilon: theirs.norm_eps },
    own: { betaMax: theirs.allow_neg_eigval === true ? 2 : 1 },
  };
}

function deltaWeights(theirs: ForeignConfig, { width, linear, tensor }: MixerReader): Weights {
  const heads = Number(theirs.num_heads);
  const taps = () => ["q", "k", "v"].map((name) => channelsLast(tensor(`${name}_conv1d.weight`)));
  return {
    beta: linear("b_proj", [heads, width]),
    norm: tensor("o_norm.weight", [width / heads]),
    ...(theirs.use_short_conv !== false && { convolution: sideBySide(taps()) }),
  };
}

/** The inverse of `flaConfig`. */
function flaSettings({ heads, betaMax, convolution = 0, normEpsilon }: OwnModel): ForeignConfig {
  return {
    ...{ num_heads: heads, hidden_act: "swish", norm_eps: normEpsilon, attn: null, attn_mode: "chunk" },
    ...{ allow_neg_eigval: betaMax === 2, use_short_conv: convolution > 0, conv_size: convolution || 4 },
    ...{ conv_bias: false, expand_v: 1 },
  };
}

/** The inverse of `deltaWeights`. */
function deltaTensors(own: OwnMixer): Weights {
  const taps = own.weight("convolution");
  const convolutions = taps === undefined ? [] : splitColumns(taps, 3);
  return {
    "b_proj.weight": transposed(own.weight("beta")!), // both delta rules have it, and a norm
    "o_norm.weight": own.weight("norm")!,
    ...Object.fromEntries(convolutions.map((part, i) => [`${"qkv"[i]}_conv1d.weight`, channelsFirst(part)])),
  };
}

/*
 * DeltaNet of flash-linear-attention: our `deltanet`.
 *
 *     theirs      as decoder.ts and fla.ts; allow_neg_eigval is betaMax 2
 *     refused     gates, expand_k or expand_v other than 1, hybrid layers, norms of q and k other than l2
 *
 * Source: github.com/fla-org/flash-linear-attention (layers/delta_net).
 */

export const deltaNet = defineFamily({
  name: "delta_net",
  modelTypes: ["delta_net"],
  source: "github.com/fla-org/flash-linear-attention, layers/delta_net",

  config(theirs, checks) {
    const { may } = checks;
    const model = flaConfig(theirs, checks, "deltanet");
    may("expand_k", [1]);
    may("expand_v", [1]);
    may("use_gate", [false]);
    may("use_beta", [true]);
    may("use_output_norm", [true]);
    may("qk_norm", ["l2"]);
    may("qk_activation", ["silu"]);
    return model;
  },

  weights: (theirs, read) => decoderWeights(theirs, read, flaNames, (mixer) => deltaWeights(theirs, mixer)),

  write: {
    mixer: "deltanet",
    architecture: "DeltaNetForCausalLM",
    config: (ours) => ({
      ...flaSettings(ours),
      ...{ expand_k: 1, use_gate: false, use_beta: true, use_output_norm: true },
      ...{ qk_norm: "l2", qk_activation: "silu" },
    }),
    tensors: ({ layers }, weights) => decoderTensors(weights, layers, flaNames, deltaTensors),
  },
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
  name: "gated_deltanet",
  modelTypes: ["gated_deltanet"],
  source: "github.com/fla-org/flash-linear-attention, layers/gated_deltanet",

  config(theirs, checks) {
    const model = flaConfig(theirs, checks, "gated-deltanet");
    checks.must("expand_v", 1, "2, the default");
    checks.may("use_gate", [true]);
    checks.may("num_v_heads", [theirs.num_heads]);
    checks.may("head_dim", [Number(theirs.hidden_size) / model.heads]);
    return model;
  },

  weights: (theirs, read) =>
    decoderWeights(theirs, read, flaNames, (mixer) => ({
      ...deltaWeights(theirs, mixer),
      gate: mixer.linear("g_proj", [mixer.width, mixer.width]),
      "decay.weight": mixer.linear("a_proj", [Number(theirs.num_heads), mixer.width]),
      "decay.bias": mixer.tensor("dt_bias", [Number(theirs.num_heads)]),
      "decay.logRate": mixer.tensor("A_log", [Number(theirs.num_heads)]),
    })),

  write: {
    mixer: "gated-deltanet",
    architecture: "GatedDeltaNetForCausalLM",
    config: (ours) => ({ ...flaSettings(ours), use_gate: true, head_dim: ours.width / ours.heads }),
    tensors: ({ layers }, weights) =>
      decoderTensors(weights, layers, flaNames, (own) => ({
        ...deltaTensors(own),
        "g_proj.weight": transposed(own.weight("gate")!), // it always has a gate and a decay
        "a_proj.weight": transposed(own.weight("decay.weight")!),
        dt_bias: own.weight("decay.bias")!,
        A_log: own.weight("decay.logRate")!,
      })),
  },
});
