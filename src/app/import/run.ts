/**
 * @file A model trained elsewhere as a run of the lab: a folder as flash-linear-attention and Hugging Face write it (config.json,
 * *.safetensors, tokenizer.json). The words of a word-level tokenizer are put in the order of the task's; any other is kept.
 */

import { constants } from "node:buffer";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve as pathOf } from "node:path";
import { z } from "zod";
import { fail, Words } from "../../core/error.ts";
import { applySettings, parseWith, parseYaml } from "../../core/settings.ts";
import { familyOf, type Imported, importedWeights } from "../../models/interop/index.ts";
import { decodeSafetensors, type StoredTensor } from "../../schemas/formats/safetensors.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { createRun, readInput, saveCheckpoint } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";
import { freshState } from "../../train/trainer.ts";
import { trustCode } from "../own-code/trust.ts";
import { saveProvenance, thisSession } from "../run/provenance.ts";
import { resolve } from "../run/resolve.ts";

interface ImportRequest {
  /** The folder with config.json and *.safetensors. */
  readonly checkpoint: string;
  /** A run configuration for its task and tests, with settings over it; its model is replaced. */
  readonly file: string;
  readonly settings: readonly string[];
  /** The new run's folder. */
  readonly folder: string;
  readonly overwrite: boolean;
}

/** Errors: LabError where checkpoint and task do not fit, before anything is written. */
export async function importRun(request: ImportRequest): Promise<RunConfig> {
  const { checkpoint, file, settings, folder, overwrite } = request;
  const imported = await readCheckpoint(checkpoint);
  const text = await readFile(file, "utf8").catch(() => fail(file, "a readable YAML file", "none"));
  const chosen = applySettings(parseYaml(text, file), settings) as Record<string, unknown>; // YAML of a run
  const vocabulary = await readVocabulary(checkpoint);
  const tokenizer = vocabulary === "subwords" && { tokenizer: { file: pathOf(checkpoint, tokenizerFile) } };
  const config = parseWith(RunConfig, { ...chosen, model: imported.model, ...tokenizer }, file);
  const { data, own, written } = await resolve(config, file);
  trustCode(own); // the user named the configuration
  const words = data.tokenizer.tokens;
  const rows = vocabulary === "subwords" ? Object.fromEntries(words.map((word, i) => [word, i])) : vocabulary;
  const weights = tensorOrder(words, imported, rows, checkpoint);
  const run = await createRun(
    folder,
    { ...config, model: written.model, statelab: labVersion() },
    { overwrite },
  );
  try {
    await saveProvenance(run.folder, own, thisSession(config, 0));
    const stage = data.stages.length - 1;
    // No step was trained here: the last stage is what its tests and references are taken from.
    const stageStarts = data.stages.map(() => 1);
    const state = { ...freshState, stageStarts, progress: { ...freshState.progress, stage } };
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
  return config;
}

/** What one Buffer can hold; weights may be longer than a text. */
const longestBuffer = constants.MAX_LENGTH;

/** @throws LabError if the folder has no such checkpoint */
export async function readCheckpoint(folder: string): Promise<Imported> {
  const config = await jsonOf(join(folder, "config.json"));
  familyOf(config, folder); // refused before the weights are read
  const tensors: Record<string, StoredTensor> = {};
  const names = await weightFiles(folder);
  for (const name of names) {
    const path = join(folder, name);
    const more = decodeSafetensors(
      readInput(path, { largestBytes: longestBuffer, regular: true }),
      path,
    ).tensors;
    const twice = Object.keys(more).find((each) => Object.hasOwn(tensors, each));
    if (twice !== undefined) fail(path, "each tensor in one file", twice, "Remove one of the files");
    Object.assign(tensors, more);
  }
  return importedWeights(config, tensors, folder);
}

/** The file of the weights, or the shards that the index names. Other files of the folder are not read, as in transformers. */
async function weightFiles(folder: string): Promise<string[]> {
  const [whole, index] = ["model.safetensors", "model.safetensors.index.json"];
  if (existsSync(join(folder, whole))) return [whole];
  const files = (await readdir(folder)).filter((name) => name.endsWith(".safetensors"));
  if (!existsSync(join(folder, index)))
    return files.length === 1
      ? files
      : fail(folder, `${whole}, or ${index} with its shards`, files[0] === undefined ? "none" : files);
  const { weight_map: map } = await jsonOf(join(folder, index));
  const named = typeof map === "object" && map !== null ? [...new Set(Object.values(map))] : [];
  if (named.length === 0)
    fail(join(folder, index), "a weight_map, tensor to file", map ?? "none", undefined, "corrupt");
  // A name with a folder in it is in no list of files.
  const missing = named.find((name) => !files.includes(name as string));
  if (missing !== undefined) fail(join(folder, index), "shards that are in the folder", missing);
  return named as string[];
}

/** Rows of the embedding and columns of the head in the order of our words. */
export function tensorOrder(
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
  const firstOf = new Map(rows.map((row, i) => [row, i] as const).reverse());
  const again = rows.findIndex((row, i) => firstOf.get(row) !== i);
  if (again >= 0)
    fail(
      `${at}, tokenizer.json`,
      `a row for ${JSON.stringify(words[again])} alone`,
      new Words(`row ${rows[again]}, as for ${JSON.stringify(words[firstOf.get(rows[again])!])}`),
    );
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

const tokenizerFile = "tokenizer.json";
const Vocabulary = z.object({
  model: z.object({
    type: z.enum(["WordLevel", "BPE", "Unigram"]).default("WordLevel"),
    vocab: z.unknown().optional(),
  }),
  added_tokens: z.array(z.object({ id: z.int(), content: z.string() })).default([]),
});

/** The row of each word where the folder has a `tokenizer.json` of words; "subwords" where its tokens are parts of words. */
export async function readVocabulary(
  folder: string,
): Promise<Readonly<Record<string, unknown>> | "subwords" | undefined> {
  const path = join(folder, tokenizerFile);
  if (!existsSync(path)) return undefined;
  const { model, added_tokens: added } = parseWith(Vocabulary, await jsonOf(path), path);
  if (model.type !== "WordLevel") return "subwords";
  const vocab = parseWith(z.record(z.string(), z.unknown()), model.vocab, `${path}, model.vocab`);
  return { ...vocab, ...Object.fromEntries(added.map(({ id, content }) => [content, id])) };
}

async function jsonOf(path: string): Promise<Record<string, unknown>> {
  const text = readInput(path, { regular: true }).toString("utf8");
  let value: unknown;
  try {
    // Python writes Infinity, here alone on a line, where no text of JSON can be.
    value = JSON.parse(text.replace(/^\s+Infinity$/gm, '"Infinity"'));
  } catch {
    fail(path, "JSON", text.slice(0, 40), undefined, "corrupt");
  }
  if (typeof value !== "object" || value === null) return fail(path, "a JSON object", typeof value);
  return value as Record<string, unknown>; // an object, by the line above
}
