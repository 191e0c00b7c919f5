/**
 * @file What the layers of flash-linear-attention share: the names around them, the short convolution, the delta rule's beta.
 *
 *     theirs                                             ours
 *     model.layers.L.attn.b_proj, o_norm                 layers.L.mixer.beta, norm
 *     model.layers.L.attn.{q,k,v}_conv1d.weight [d, 1, K]    layers.L.mixer.convolution [K, 3d]
 */

import type { DecoderNames, MixerReader } from "./decoder.ts";
import type { Checks, ForeignConfig, ForeignModel, Weights } from "./family.ts";
import { channelsLast, sideBySide } from "./tensors.ts";

export const flaNames: DecoderNames = {
  embedding: "embeddings",
  firstNorm: "attn_norm",
  mixer: "attn",
  secondNorm: "mlp_norm",
};

/** Of both delta rules; each refuses more. */
export function flaConfig(theirs: ForeignConfig, { may }: Checks, mixer: string): ForeignModel {
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

export function deltaWeights(theirs: ForeignConfig, { width, linear, tensor }: MixerReader): Weights {
  const heads = Number(theirs.num_heads);
  const taps = () => ["q", "k", "v"].map((name) => channelsLast(tensor(`${name}_conv1d.weight`)));
  return {
    beta: linear("b_proj", [heads, width]),
    norm: tensor("o_norm.weight", [width / heads]),
    ...(theirs.use_short_conv !== false && { convolution: sideBySide(taps()) }),
  };
}
