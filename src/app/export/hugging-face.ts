/** @file A run's weights as a checkpoint that `transformers` and flash-linear-attention load: settings, tensors and tokenizer under their names. */

import { describeModel } from "../../models/index.ts";
import { writtenFor } from "../../models/interop/index.ts";
import { encodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { huggingFaceConfig, toHuggingFace } from "../../tasks/tokenizer.ts";
import { flattenParameters } from "../../tensor/index.ts";
import type { TrainedRun } from "../run/open.ts";

/** Errors: LabError for a model that no other library has; `at` names the run. */
export function huggingFaceFiles(run: TrainedRun, at: string): Record<string, string | Uint8Array> {
  const { model, data, tree, weights, config } = run;
  const longest = Math.max(...data.stages.map(({ length }) => length));
  // A model of the user's own is called by its path, whatever its file calls it.
  const ours = { ...describeModel(model), name: config.model.name };
  const named = Object.fromEntries(
    flattenParameters(tree).map(([path, { shape }]) => [path, { shape, data: weights[path] }]),
  );
  const written = writtenFor(ours, named, longest, at);
  const tensors = Object.entries(written.tensors).map(([name, { shape, data: numbers }]) => {
    const own = numbers as Float32Array<ArrayBuffer>; // nothing of ours is in shared memory
    return [name, { dtype: "F32" as const, shape, data: own }] as const;
  });
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    "config.json": json(written.config),
    "model.safetensors": encodeSafetensors(Object.fromEntries(tensors), { format: "pt" }),
    "tokenizer.json": json(toHuggingFace(data.tokenizer)),
    "tokenizer_config.json": json(huggingFaceConfig()),
  };
}
