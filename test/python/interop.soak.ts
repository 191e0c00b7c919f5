/**
 * @file Exchanges models with the classes of transformers and flash-linear-attention, and compares the logits of 2 x 23 tokens.
 *
 *     python3 -m pip install --target test/python/packages -r test/python/requirements.txt
 *     npm run soak -- test/python                  expects the results of interop.jsonl
 *     INTEROP=write npm run soak -- test/python    writes them to interop.jsonl, from which docs/reference/checkpoints.md is made
 *
 * STATELAB_INTEROP_PYTHON replaces test/python/packages.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportTo } from "../../src/app/export/index.ts";
import { readCheckpoint } from "../../src/app/import/run.ts";
import { exportFolder } from "../../src/app/run/export.ts";
import { openTrainedRun } from "../../src/app/run/open.ts";
import { resolve } from "../../src/app/run/resolve.ts";
import { rngFrom } from "../../src/core/rng.ts";
import { runParallel } from "../../src/models/conformance/run.ts";
import {
  configureModel,
  describeModel,
  initialParameters,
  type Model,
  modelNamed,
  parameterShapes,
} from "../../src/models/index.ts";
import { decodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { createRun, saveCheckpoint } from "../../src/storage/index.ts";
import { exampleFrom, prepareTask } from "../../src/tasks/index.ts";
import { repl } from "../../src/tasks/repl.ts";
import { wordTokenizer } from "../../src/tasks/tokenizer.ts";
import { flattenParameters, withData } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { freshState } from "../../src/train/trainer.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { type InteropCase, type InteropRow, interopCases, parseRows, rowOf, wayOf } from "./interop-cases.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const installed = isInstalled("transformers", "flash-linear-attention");

interface Texts {
  readonly ids: readonly number[][];
  readonly decoded: readonly string[];
  readonly generated: readonly number[];
  readonly onnx: number;
}

/** What interop.py says of a model. */
interface Answer extends Pick<InteropRow, "package" | "version"> {
  readonly texts?: Texts;
}

const root = tmpFolder("interop");
const writes = process.env.INTEROP === "write";
const committed = parseRows(readFileSync(here("interop.jsonl"), "utf8"));
const seen: InteropRow[] = [];
afterAll(() => {
  const rows = interopCases.flatMap((each) => rowOf(seen, each) ?? rowOf(committed, each) ?? []);
  if (writes) writeFileSync(here("interop.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
});

const prepared = prepareTask(repl, { commands: 6 });
const { text } = exampleFrom(prepared, rngFrom(1));
/** A program, and its first line. */
const texts = [text, text.slice(0, text.indexOf("\n") + 1)];
const tokenizer = wordTokenizer(prepared.words);

/** The class pads with the line end, and stops generating there; model.onnx has its logits. */
function checkTexts({ ids, decoded, generated, onnx }: Texts): void {
  const end = tokenizer.tokens.indexOf("\n");
  const [whole, line] = texts.map((each) => tokenizer.encode(each));
  expect(ids).toEqual([whole, [...line, ...new Array<number>(whole.length - line.length).fill(end)]]);
  expect(decoded).toEqual(texts);
  expect(onnx).toBeLessThan(1e-4);
  const stop = generated.indexOf(end);
  expect(generated.length).toBe(stop < 0 ? 20 : stop + 1);
}

/** Exports a run whose weights are the initial ones plus 0.15 N(0, 1). */
async function exportModel(model: object, folder: string) {
  const sizes = { layers: 2, width: 32, feedForward: 48 };
  const { model: ours, written } = await resolve(
    RunConfig.parse({ task: { name: "repl", commands: 6 }, model: { ...sizes, ...model } }),
    "case",
  );
  const rng = rngFrom(1);
  const weights = flattenParameters(initialParameters(ours, rng)).map(([path, { shape, data }]) => {
    const noise = rng.fork(path);
    const numbers = Float32Array.from(data, (each) => each + 0.15 * noise.normal());
    return [path, { dtype: "F32" as const, shape, data: numbers }] as const;
  });
  const run = await createRun(`${folder}-run`, written, { overwrite: false });
  await saveCheckpoint(run.folder, 0, { model: Object.fromEntries(weights), state: freshState });
  run.close();
  await exportFolder({ folder: run.folder, length: 30 });
  await exportTo({ folder: run.folder, form: "hf", out: folder });
}

/** Our model of a folder with its weights, or why it is refused. */
async function ourModel(each: InteropCase, folder: string) {
  if (each.model !== undefined) return openTrainedRun(`${folder}-run`);
  const imported = await readCheckpoint(folder).catch((error: Error) => error);
  if (imported instanceof Error) return { refused: imported.message.replaceAll(folder, "CHECKPOINT") };
  const { model, vocabulary, weights } = imported;
  return {
    model: configureModel(modelNamed(String(model.name)), model, vocabulary, "model"),
    weights: Object.fromEntries(Object.entries(weights).map(([path, { data }]) => [path, data])),
  };
}

/** The largest difference of our logits to those of the class. */
async function difference(
  model: Model,
  weights: Readonly<Record<string, Float32Array>>,
  folder: string,
): Promise<number> {
  const path = `${folder}.expected.safetensors`;
  const { tokens, logits } = decodeSafetensors(readFileSync(path), path).tensors;
  const [batch, length] = tokens.shape;
  const rows = Array.from({ length: batch }, (_, row) =>
    Array.from(tokens.data.subarray(row * length, (row + 1) * length) as Int32Array),
  );
  const tree = withData(parameterShapes(model), weights);
  const ours = (await runParallel(nodeRuntime(), model, tree, rows)).logits.flat(2);
  const theirs = logits.data as Float32Array;
  expect(ours).toHaveLength(theirs.length);
  expect(Math.max(...theirs.map(Math.abs))).toBeGreaterThan(0.5);
  return Math.max(...ours.map((logit, i) => Math.abs(logit - theirs[i])));
}

/** One Python process for each class. */
const classes = [...new Set(interopCases.map((each) => each.class))];

describe.skipIf(!installed).each(classes)("%s", (kind) => {
  const cases = interopCases.filter((each) => each.class === kind);
  const folders = new Map(cases.map((each, i) => [each, join(root, `${kind}-${i}`)]));
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    const theirs = { hidden_size: 32, intermediate_size: 48, num_hidden_layers: 2, vocab_size: 20 };
    const jobs = [...folders].map(([{ config, save }, folder]) => ({
      ...{ class: kind, folder, save },
      ...(config === undefined ? { texts } : { config: { ...theirs, ...config } }),
    }));
    for (const [{ model }, folder] of folders) if (model !== undefined) await exportModel(model, folder);
    const { stdout, stderr } = python([here("interop.py")], JSON.stringify(jobs));
    for (const line of stdout.trimEnd().split("\n")) {
      const { folder, ...answer } = JSON.parse(line);
      answers.set(folder, answer);
    }
    expect(answers.size, stderr).toBe(jobs.length);
  });

  test.each(cases)("$what $model", async (each) => {
    const folder = folders.get(each)!;
    const by = { package: expect.any(String), version: expect.any(String) };
    const { texts, ...answer } = answers.get(folder)!;
    expect(answer).toEqual({ ...by, missing_keys: [], unexpected_keys: [] });
    if (texts !== undefined) checkTexts(texts);
    const ours = await ourModel(each, folder);
    const row: InteropRow = {
      ...{ way: wayOf(each), class: kind, what: each.what },
      ...{ package: answer.package, version: answer.version },
      ...("refused" in ours
        ? { refused: ours.refused }
        : {
            model: String(describeModel(ours.model).name),
            difference: await difference(ours.model, ours.weights, folder),
          }),
    };
    console.log(JSON.stringify(row));
    seen.push(row);
    if (row.refused === undefined) expect(row.difference).toBeLessThan(1e-4);
    if (each.refused === undefined) expect(row.refused).toBeUndefined();
    else expect(row.refused).toContain(each.refused);
    if (!writes) expect(row).toEqual({ ...rowOf(committed, each), difference: row.difference });
  });
});
