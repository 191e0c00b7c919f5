/**
 * @file The decoder that all families share: embedding, blocks of a mixer and a SwiGLU with a norm before each, and the head.
 *
 *     theirs                                             ours
 *     EMBEDDING.weight [V, d]                            embedding [V, d]
 *     LAYERS.L.MIXER_NORM.weight                         layers.L.mixerNorm
 *     LAYERS.L.MIXER. ...                                layers.L.mixer. ..., by the family's parts
 *     LAYERS.L.FEED_FORWARD_NORM.weight                  layers.L.feedForwardNorm
 *     LAYERS.L.mlp.{gate,up}_proj.weight [f, d]          layers.L.feedForward.gateAndUp [d, 2f]
 *     LAYERS.L.mlp.down_proj.weight                      layers.L.feedForward.down
 *     NORM.weight, lm_head.weight                        norm, head
 */

import type { StackNames } from "./family.ts";
import { linear, type Part, type Parts, plain } from "./tensors.ts";

/** Maps a path of ours to its tensors, by their whole names. `tied`: the head is the embedding. */
export function decoderParts(names: StackNames, mixer: Parts, tied: boolean): (path: string) => Part {
  const whole: Parts = {
    embedding: plain(`${names.embedding}.weight`),
    norm: plain(`${names.norm}.weight`),
    head: linear(tied ? names.embedding : "lm_head"),
  };
  const inLayer: Parts = {
    mixerNorm: plain(`${names.mixerNorm}.weight`),
    feedForwardNorm: plain(`${names.feedForwardNorm}.weight`),
    "feedForward.gateAndUp": linear("mlp.gate_proj", "mlp.up_proj"),
    "feedForward.down": linear("mlp.down_proj"),
  };
  return (path) => {
    const [, layer, name] = /^layers\.(\d+)\.(.*)$/.exec(path) ?? [];
    if (layer === undefined) return whole[path];
    const own = name.startsWith("mixer.") ? mixer[name.slice("mixer.".length)] : undefined;
    const part = own ?? inLayer[name];
    const prefix = `${names.layers}.${layer}.${own === undefined ? "" : `${names.mixer}.`}`;
    return { ...part, names: part.names.map((each) => prefix + each) };
  };
}
