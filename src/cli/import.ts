/** @file statelab import: a model trained elsewhere (flash-linear-attention, Hugging Face) as a run of the lab. */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { applySettings, parseWith, parseYaml } from "../records/config.ts";
import { fail } from "../records/error.ts";
import { RunConfig } from "../records/run.ts";
import { decodeSafetensors, type StoredTensor } from "../records/safetensors.ts";
import { createRun, saveCheckpoint } from "../store/index.ts";
import { freshState } from "../train/trainer.ts";
import { type Imported, importedWeights } from "../work/import/names.ts";
import { inspectConfig } from "../work/run/train.ts";
import { labVersion } from "../work/version.ts";
import { defineCommand, setOption } from "./command.ts";

export const command = defineCommand({
  name: "import",
  summary: "make a run of a model that was trained elsewhere",
  usage: "import CHECKPOINT --config CONFIG.yaml --out DIR [--set KEY=VALUE ...]",
  positionals: { least: 1, most: 1 },
  options: {
    config: {
      type: "string",
      value: "FILE",
      description: "a run configuration for its task and tests; its model is replaced",
    },
    out: { type: "string", value: "DIR", description: "the new run's folder" },
    set: setOption,
    overwrite: { type: "boolean", description: "replace a run that is there" },
  },
  examples: [
    "import ./checkpoint --config examples/deltanet.yaml --out runs/theirs",
    "import ./checkpoint --config examples/deltanet.yaml --set task.variables=5 --out runs/theirs",
  ],
  notes:
    "CHECKPOINT is a folder with config.json and *.safetensors: model_type delta_net, gated_deltanet (fla) or llama.\n" +
    "Its tokenizer.json, where there is one, says which row belongs to which word; else the order of the task's words does.",

  async run({ positionals: [folder], values, json, print, say }) {
    const file = values.config ?? fail("import", "--config FILE", "nothing", "It says which task is asked");
    const out = values.out ?? fail("import", "--out DIR", "nothing");
    const imported = await readCheckpoint(folder);
    const text = await readFile(file, "utf8").catch(() => fail(file, "a readable YAML file", "none"));
    const chosen = applySettings(parseYaml(text, file), values.set) as Record<string, unknown>; // YAML of a run
    const config = parseWith(RunConfig, { ...chosen, model: imported.model }, file);
    const { data, parts } = await inspectConfig(config, file);
    const words = data.tokenizer.tokens;
    const weights = inOrderOf(words, imported, await vocabularyOf(folder), folder);
    const run = await createRun(out, { ...config, statelab: labVersion() }, { overwrite: values.overwrite });
    try {
      const stage = data.stages.length - 1;
      // No step was trained here: the last stage is what its tests and references are taken from.
      const state = { ...freshState, progress: { ...freshState.progress, stage } };
      const model = Object.fromEntries(
        Object.entries(weights).map(([name, { shape, data: numbers }]) => [
          name,
          { dtype: "F32" as const, shape, data: numbers as Float32Array<ArrayBuffer> },
        ]),
      );
      await saveCheckpoint(run.folder, 0, { model, state });
    } finally {
      run.close();
    }
    for (const remark of imported.remarks) say(`statelab: ${remark}`);
    const document = { run: out, model: imported.model, task: config.task, remarks: imported.remarks };
    print(
      json
        ? JSON.stringify(document)
        : `${out}: ${parts.mixer.name} imported. Ask it: statelab evaluate ${out}`,
    );
    return 0;
  },
});

/** @throws LabError where the folder holds no such checkpoint. */
export async function readCheckpoint(folder: string): Promise<Imported> {
  const config = await jsonOf(join(folder, "config.json"));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".safetensors"));
  if (names.length === 0) fail(folder, "*.safetensors", "none");
  const tensors: Record<string, StoredTensor> = {};
  for (const name of names) {
    const path = join(folder, name);
    Object.assign(tensors, decodeSafetensors(await readFile(path), path).tensors);
  }
  return importedWeights(config, tensors, folder);
}

/** Rows of the embedding and columns of the head in the order of our words. */
export function inOrderOf(
  words: readonly string[],
  { weights, vocabulary }: Imported,
  vocab: Readonly<Record<string, unknown>> | undefined,
  at: string,
): Imported["weights"] {
  if (vocab === undefined && words.length !== vocabulary) {
    fail(at, `the ${words.length} words of the task`, `${vocabulary} rows and no tokenizer.json`);
  }
  const rows = words.map((word, i) => {
    const row = vocab === undefined ? i : vocab[word];
    if (Number.isSafeInteger(row) && (row as number) >= 0 && (row as number) < vocabulary)
      return row as number;
    return fail(`${at}, tokenizer.json`, `a token ${JSON.stringify(word)}`, row ?? "none");
  });
  const { embedding, head } = weights;
  const width = embedding.shape[1];
  const ordered = {
    embedding: new Float32Array(rows.length * width),
    head: new Float32Array(rows.length * width),
  };
  for (const [i, row] of rows.entries()) {
    ordered.embedding.set(embedding.data.subarray(row * width, (row + 1) * width), i * width);
    for (let d = 0; d < width; d++) ordered.head[d * rows.length + i] = head.data[d * vocabulary + row];
  }
  return {
    ...weights,
    embedding: { shape: [rows.length, width], data: ordered.embedding },
    head: { shape: [width, rows.length], data: ordered.head },
  };
}

async function vocabularyOf(folder: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const path = join(folder, "tokenizer.json");
  if (!existsSync(path)) return undefined;
  const { model } = await jsonOf(path);
  const vocab = (model as { readonly vocab?: unknown } | undefined)?.vocab;
  if (typeof vocab === "object" && vocab !== null && !Array.isArray(vocab)) {
    return vocab as Record<string, unknown>; // checked on the line above
  }
  return fail(path, "model.vocab, token to row", typeof vocab);
}

async function jsonOf(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, "utf8").catch(() => fail(path, "a file of the checkpoint", "none"));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail(path, "JSON", text.slice(0, 40), undefined, "corrupt");
  }
  if (typeof value !== "object" || value === null) return fail(path, "a JSON object", typeof value);
  return value as Record<string, unknown>; // an object, by the line above
}
