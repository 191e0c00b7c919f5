/**
 * @file A trained model in standard formats: ONNX, a Hugging Face tokenizer and the weights, as file contents by name. Free of
 * Node's modules, so that the web page exports the same files.
 */

import type { Model, ModelShapes } from "../../models/index.ts";
import { encodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { runFiles } from "../../storage/run-files.ts";
import { huggingFaceConfig, toHuggingFace } from "../../tasks/tokenizer.ts";
import { flattenParameters } from "../../tensor/index.ts";
import type { DataPlan } from "../../train/data.ts";
import { sequenceOnnx, stepOnnx } from "../../train/onnx-export.ts";

export interface Exported {
  readonly model: Model;
  readonly data: DataPlan;
  readonly tree: ModelShapes;
  readonly weights: Readonly<Record<string, Float32Array>>;
  /** Tokens of the longest sequence of the ONNX files; by default the longest of the training. */
  readonly length?: number | undefined;
}

/** model.onnx (a whole sequence), step.onnx (one token; absent for a model with a trained prefix), tokenizer.json, tokenizer_config.json, model.safetensors. */
export function exportedFiles({
  model,
  data,
  tree,
  weights,
  ...asked
}: Exported): Record<string, string | Uint8Array> {
  const length = asked.length ?? Math.max(...data.stages.map((stage) => stage.length));
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const tensors = flattenParameters(tree).map(([path, { shape }]) => {
    const data = weights[path] as Float32Array<ArrayBuffer>; // weights are never in shared memory
    return [path, { dtype: "F32", shape, data }] as const;
  });
  return {
    [runFiles.model]: sequenceOnnx(model, tree, weights, length),
    // A prefix precedes the text, but a step reads a single token.
    ...(tree.initialState?.prefix === undefined && {
      [runFiles.step]: stepOnnx(model, tree, weights, length),
    }),
    [runFiles.tokenizer]: json(toHuggingFace(data.tokenizer)),
    [runFiles.tokenizerConfig]: json(huggingFaceConfig(data.tokenizer)),
    [runFiles.weights]: encodeSafetensors(Object.fromEntries(tensors), { format: "pt" }),
  };
}
