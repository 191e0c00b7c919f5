/** @file A trained model as files that others read: ONNX in standard operators, and a Hugging Face tokenizer. */

import { join } from "node:path";
import type { Model, ModelShapes } from "../../models/index.ts";
import { makeFolder, runFiles, writeFileAtomic } from "../../store/index.ts";
import { huggingFaceConfig, toHuggingFace } from "../../tasks/tokenizer.ts";
import type { TrainingData } from "../../train/data.ts";
import { sequenceOnnx, stepOnnx } from "../../train/export.ts";

export interface Exported {
  readonly model: Model;
  readonly data: TrainingData;
  readonly tree: ModelShapes;
  readonly weights: Readonly<Record<string, Float32Array>>;
}

/** Writes model.onnx (a whole sequence), step.onnx (one token), tokenizer.json and tokenizer_config.json. */
export async function exportRun({ model, data, tree, weights }: Exported, folder: string): Promise<void> {
  const length = Math.max(...data.stages.map((stage) => stage.length));
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  await makeFolder(folder);
  await writeFileAtomic(join(folder, runFiles.model), sequenceOnnx(model, tree, weights, length));
  await writeFileAtomic(join(folder, runFiles.step), stepOnnx(model, tree, weights, length));
  await writeFileAtomic(join(folder, runFiles.tokenizer), json(toHuggingFace(data.tokenizer)));
  await writeFileAtomic(join(folder, runFiles.tokenizerConfig), json(huggingFaceConfig()));
}
