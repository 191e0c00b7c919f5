/**
 * @file The decoder that all families share: embedding, blocks of a mixer and a SwiGLU with a norm before each, and the head.
 *
 *     theirs                                             ours
 *     model.EMBEDDING.weight [V, d]                      embedding [V, d]
 *     model.layers.L.FIRST_NORM.weight                   layers.L.mixerNorm
 *     model.layers.L.MIXER.{q,k,v}_proj.weight [d, d]    layers.L.mixer.qkv [d, 3d], transposed, side by side
 *     model.layers.L.MIXER.o_proj.weight                 layers.L.mixer.out
 *     model.layers.L.SECOND_NORM.weight                  layers.L.feedForwardNorm
 *     model.layers.L.mlp.{gate,up}_proj.weight           layers.L.feedForward.gateAndUp
 *     model.layers.L.mlp.down_proj.weight                layers.L.feedForward.down
 *     model.norm.weight, lm_head.weight                  norm, head
 */

import type { ForeignConfig, Weights } from "./family.ts";
import { type Read, sideBySide, splitColumns, transposed, type Weight } from "./tensors.ts";

export interface DecoderNames {
  readonly embedding: string;
  readonly firstNorm: string;
  readonly mixer: string;
  readonly secondNorm: string;
}

/** A layer's mixer, whose tensors begin with a prefix. */
export interface MixerReader {
  readonly width: number;
  /** [in, out] of a Linear, without its `.weight`. */
  linear(name: string, shape: readonly number[]): Weight;
  tensor: Read;
}

/** `mixer` returns a layer's mixer weights other than qkv and out. */
export function decoderWeights(
  config: ForeignConfig,
  read: Read,
  names: DecoderNames,
  mixer: (reader: MixerReader) => Weights,
): Weights {
  const embedding = read(`model.${names.embedding}.weight`);
  const [vocabulary, width] = embedding.shape;
  const tied = config.tie_word_embeddings === true;
  const weights: Record<string, Weight> = {
    embedding,
    norm: read("model.norm.weight", [width]),
    head: transposed(tied ? embedding : read("lm_head.weight", [vocabulary, width])),
  };
  for (let layer = 0; layer < Number(config.num_hidden_layers); layer++) {
    const theirs = `model.layers.${layer}`;
    const reader: MixerReader = {
      width,
      linear: (name, shape) => transposed(read(`${theirs}.${names.mixer}.${name}.weight`, shape)),
      tensor: (name, shape) => read(`${theirs}.${names.mixer}.${name}`, shape),
    };
    const own = {
      qkv: sideBySide(["q", "k", "v"].map((name) => reader.linear(`${name}_proj`, [width, width]))),
      out: reader.linear("o_proj", [width, width]),
      ...mixer(reader),
    };
    for (const [name, weight] of Object.entries(own)) weights[`layers.${layer}.mixer.${name}`] = weight;
    const parts = ["gate", "up", "down"].map((name) => transposed(read(`${theirs}.mlp.${name}_proj.weight`)));
    weights[`layers.${layer}.mixerNorm`] = read(`${theirs}.${names.firstNorm}.weight`, [width]);
    weights[`layers.${layer}.feedForwardNorm`] = read(`${theirs}.${names.secondNorm}.weight`, [width]);
    weights[`layers.${layer}.feedForward.gateAndUp`] = sideBySide(parts.slice(0, 2));
    weights[`layers.${layer}.feedForward.down`] = parts[2];
  }
  return weights;
}

/** A layer's mixer in our form. */
export interface OwnMixer {
  /** undefined if the mixer has no such part. */
  weight(name: string): Weight | undefined;
}

/** The inverse of `decoderWeights`; `mixer` returns the weights other than q, k, v and o, by name within the mixer. */
export function decoderTensors(
  ours: Weights,
  layers: number,
  names: DecoderNames,
  mixer: (own: OwnMixer) => Weights,
): Weights {
  const tensors: Record<string, Weight> = {
    [`model.${names.embedding}.weight`]: ours.embedding,
    "model.norm.weight": ours.norm,
    "lm_head.weight": transposed(ours.head),
  };
  for (let layer = 0; layer < layers; layer++) {
    const own = `layers.${layer}`;
    const theirs = `model.layers.${layer}`;
    const linear = (name: string, weight: Weight) => {
      tensors[`${theirs}.${name}.weight`] = transposed(weight);
    };
    for (const [i, part] of splitColumns(ours[`${own}.mixer.qkv`], 3).entries())
      linear(`${names.mixer}.${"qkv"[i]}_proj`, part);
    linear(`${names.mixer}.o_proj`, ours[`${own}.mixer.out`]);
    for (const [i, part] of splitColumns(ours[`${own}.feedForward.gateAndUp`], 2).entries())
      linear(`mlp.${["gate", "up"][i]}_proj`, part);
    linear("mlp.down_proj", ours[`${own}.feedForward.down`]);
    tensors[`${theirs}.${names.firstNorm}.weight`] = ours[`${own}.mixerNorm`];
    tensors[`${theirs}.${names.secondNorm}.weight`] = ours[`${own}.feedForwardNorm`];
    const others = mixer({ weight: (name) => ours[`${own}.mixer.${name}`] });
    for (const [name, weight] of Object.entries(others)) tensors[`${theirs}.${names.mixer}.${name}`] = weight;
  }
  return tensors;
}
