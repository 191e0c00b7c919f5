/** @file Every checkpoint family, by name. To add one: write its file, and one line here; docs/interop.md has its row. */

import { fail } from "../../records/error.ts";
import { deltaNet } from "./delta-net.ts";
import { checksOf, type ForeignConfig, type ForeignTensors, type Weights } from "./family.ts";
import { gatedDeltaNet } from "./gated-delta-net.ts";
import { llama } from "./llama.ts";
import { readerOf } from "./tensors.ts";

export const families = { delta_net: deltaNet, gated_deltanet: gatedDeltaNet, llama };

export interface Imported {
  /** The `model` of a run's configuration. */
  readonly model: Readonly<Record<string, unknown>>;
  readonly vocabulary: number;
  readonly weights: Weights;
  /** What is computed a little differently here, a sentence each. */
  readonly remarks: readonly string[];
}

const OUR_EPSILON = 1e-6;

/** `at` is named in errors. @throws LabError for what ours cannot compute, or a tensor that is missing or of another shape. */
export function importedWeights(config: ForeignConfig, tensors: ForeignTensors, at: string): Imported {
  const all = Object.values(families);
  const types = all.flatMap(({ modelTypes }) => modelTypes);
  const family =
    all.find(({ modelTypes }) => modelTypes.includes(String(config.model_type))) ??
    fail(at, `a model_type of ${types.join(", ")}`, String(config.model_type));
  const { mixer, heads, layers, own, epsilon } = family.config(config, checksOf(config, at));
  const weights = family.weights(config, readerOf(tensors, at));
  const [vocabulary, width] = weights.embedding.shape;
  const feedForward = weights["layers.0.feedForward.down"]?.shape[0] ?? 0;
  const convolution = weights["layers.0.mixer.convolution"]?.shape[0] ?? 0;
  const theirEpsilon = Number(epsilon ?? OUR_EPSILON);
  const remark = `its norms add ${theirEpsilon} under the root, ours ${OUR_EPSILON}: outputs differ where activations are small`;
  return {
    model: { name: mixer, layers, width, feedForward, heads, ...own, convolution },
    ...{ vocabulary, weights },
    remarks: theirEpsilon === OUR_EPSILON ? [] : [remark],
  };
}
