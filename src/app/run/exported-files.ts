/**
 * @file A trained model as files that others read, by their names: ONNX in standard operators, a Hugging Face tokenizer, and the weights alone.
 * Nothing is written here, so that a page makes the same.
 */

import type { Model, ModelShapes } from "../../models/index.ts";
import { encodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { runFiles } from "../../storage/run-files.ts";
import { huggingFaceConfig, toHuggingFace } from "../../tasks/tokenizer.ts";
import { flattenParameters } from "../../tensor/index.ts";
import type { TrainingData } from "../../train/data.ts";
import { sequenceOnnx, stepOnnx } from "../../train/onnx-export.ts";

export interface Exported {
  readonly model: Model;
  readonly data: TrainingData;
  readonly tree: ModelShapes;
  readonly weights: Readonly<Record<string, Float32Array>>;
}

/** model.onnx (a whole sequence), step.onnx (one token; not of a model with a trained prefix), tokenizer.json, tokenizer_config.json, model.safetensors. */
export function exportedFiles({ model, data, tree, weights }: Exported): Record<string, string | Uint8Array> {
  const length = Math.max(...data.stages.map((stage) => stage.length));
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const tensors = flattenParameters(tree).map(([path, { shape }]) => {
    const data = weights[path] as Float32Array<ArrayBuffer>; // nothing of ours is in shared memory
    return [path, { dtype: "F32", shape, data }] as const;
  });
  return {
    [runFiles.model]: sequenceOnnx(model, tree, weights, length),
    // A prefix is read before the text, and a step reads no more than a token.
    ...(tree.initialState?.prefix === undefined && {
      [runFiles.step]: stepOnnx(model, tree, weights, length),
    }),
    [runFiles.tokenizer]: json(toHuggingFace(data.tokenizer)),
    [runFiles.tokenizerConfig]: json(huggingFaceConfig()),
    [runFiles.weights]: encodeSafetensors(Object.fromEntries(tensors)),
  };
}
