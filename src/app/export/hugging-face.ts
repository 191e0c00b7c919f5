/** @file A run's weights as a checkpoint that `transformers` and flash-linear-attention load: settings, tensors and tokenizer under their names. */

import { percent } from "../../core/format.ts";
import { describeModel } from "../../models/index.ts";
import { writtenFor } from "../../models/interop/index.ts";
import { encodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { type TestedRecord, testName } from "../../schemas/test-result.ts";
import { huggingFaceConfig, lineEnd, toHuggingFace } from "../../tasks/tokenizer.ts";
import { flattenParameters } from "../../tensor/index.ts";
import type { TrainedRun } from "../run/open.ts";

/** `tested` are the tests of the run, `at` its name. Errors: LabError for a model that no other library has. */
export function huggingFaceFiles(
  run: TrainedRun,
  tested: readonly TestedRecord[],
  at: string,
): Record<string, string | Uint8Array> {
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
  const end = lineEnd(data.tokenizer) ?? null;
  const ids = { bos_token_id: null, eos_token_id: end, pad_token_id: end };
  return {
    "README.md": modelCard(run, tested),
    "config.json": json({ ...written.config, ...ids }),
    "generation_config.json": json(ids),
    "model.safetensors": encodeSafetensors(Object.fromEntries(tensors), { format: "pt" }),
    "tokenizer.json": json(toHuggingFace(data.tokenizer)),
    "tokenizer_config.json": json(huggingFaceConfig(data.tokenizer)),
  };
}

/** README.md, with the tests of these weights. */
function modelCard({ config, task, step }: TrainedRun, tested: readonly TestedRecord[]): string {
  const rows = tested
    .filter((test) => test.step === step)
    .map(
      ({ change, programs, reveals, accuracy, accuracyLast }) =>
        `| ${testName(change)} | ${programs} | ${reveals} | ${percent(accuracy)} | ${percent(accuracyLast)} |`,
    );
  const head =
    "| test | programs | reveals | accuracy (%) | last reveal (%) |\n| --- | --- | --- | --- | --- |";
  return [
    "---\ntags: [statelab]\npipeline_tag: text-generation\n---\n",
    `# ${config.model.name} on ${config.task.name}\n`,
    `Task: ${task.summary}. Exported by Statelab after ${step} training steps, seed ${config.seed}.\n`,
    ...(rows.length === 0 ? ["These weights were not tested."] : [head, ...rows]),
    "",
  ].join("\n");
}
