/**
 * @file A training in the page as a run folder that `statelab train --resume` continues, and a run folder as a training in the page.
 *
 *     NAME/config.json, metrics.jsonl, checkpoints/STEP/{model.safetensors, optimizer.safetensors, state.json, SHA256SUMS}     docs/reference/file-formats.md
 *     NAME/model.onnx, step.onnx, tokenizer.json, ...                                                                      as `export` makes them
 *
 * A folder is untrusted: its checkpoint counts only with correct checksums, and its code is not run.
 */

import { exportedFiles } from "../../src/app/run/exported-files.ts";
import { fail } from "../../src/core/error.ts";
import { jsonText, notFinite } from "../../src/core/json.ts";
import { parseWith } from "../../src/core/settings.ts";
import { describeModel, parameterShapes } from "../../src/models/index.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type StoredTensor,
} from "../../src/schemas/formats/safetensors.ts";
import { RunConfig, StepRecord, trainedBy } from "../../src/schemas/run-config.ts";
import { runFiles } from "../../src/storage/run-files.ts";
import { tasks } from "../../src/tasks/index.ts";
import type { Saved, Trainer, TrainerState } from "../../src/train/trainer.ts";

type Files = Readonly<Record<string, Uint8Array>>;

export interface TrainedRun {
  readonly config: RunConfig;
  /** Settings that changed during the training, as in config.json. */
  readonly changes: readonly object[];
  readonly records: readonly StepRecord[];
}

const [MODEL, OPTIMIZER, STATE, SUMS] = [
  "model.safetensors",
  "optimizer.safetensors",
  "state.json",
  "SHA256SUMS",
];
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Between two steps: the files of the run, by their paths in its folder. */
export async function folderOf(trainer: Trainer, { config, changes, records }: TrainedRun): Promise<Files> {
  const { model, data, parameters, shapes, optimizer } = trainer;
  const state = trainer.state();
  const written: RunConfig = { ...config, model: { ...describeModel(model), name: config.model.name } };
  const tensors = (
    numbers: Readonly<Record<string, Float32Array>>,
    shapeOf: (path: string) => readonly number[],
  ) =>
    Object.fromEntries(
      Object.entries(numbers).map(([path, data]): [string, StoredTensor] => [
        path,
        { dtype: "F32", shape: shapeOf(path), data: data as Float32Array<ArrayBuffer> }, // nothing of ours is in shared memory
      ]),
    );
  const json = (value: unknown, at: string) => bytesOf(`${jsonText(value, at, 2)}\n`);
  const checkpoint: Files = {
    [MODEL]: encodeSafetensors(tensors(parameters, (path) => shapes[path])),
    [OPTIMIZER]: encodeSafetensors(
      tensors(optimizer.state, (path) => [optimizer.state[path].length]),
      { optimizer: optimizer.name },
    ),
    [STATE]: json({ version: 1, step: state.step, config: trainedBy(written), state }, STATE),
  };
  const sums = await Promise.all(
    Object.entries(checkpoint).map(async ([name, bytes]) => `${await sha256(bytes)}  ${name}\n`),
  );
  const at = `${runFiles.checkpoints}/${state.step}/`;
  const exported = exportedFiles({ model, data, tree: parameterShapes(model), weights: parameters });
  return {
    [runFiles.config]: json({ ...written, ...(changes.length > 0 && { changes }) }, runFiles.config),
    [runFiles.metrics]: bytesOf(records.map((record) => `${jsonText(record, runFiles.metrics)}\n`).join("")),
    ...Object.fromEntries(Object.entries(checkpoint).map(([name, bytes]) => [at + name, bytes])),
    [at + SUMS]: bytesOf(sums.join("")),
    ...Object.fromEntries(
      Object.entries(exported).map(([name, content]) => [
        name,
        typeof content === "string" ? bytesOf(content) : content,
      ]),
    ),
  };
}

export interface OpenedRun extends TrainedRun {
  /** Of its newest checkpoint. */
  readonly saved: Saved;
}

/** Paths may stand below a folder. Errors: LabError for what is no run, none that a page can train, or damaged. */
export async function runIn(files: ReadonlyMap<string, Uint8Array>): Promise<OpenedRun> {
  const configs = [...files.keys()].filter((path) => path.split("/").at(-1) === runFiles.config);
  const nearest = configs.toSorted((a, b) => a.split("/").length - b.split("/").length)[0];
  if (nearest === undefined)
    fail("run", `a folder with a ${runFiles.config}`, [...files.keys()].slice(0, 5).join(", "));
  const folder = nearest.slice(0, -runFiles.config.length);
  const own = new Map(
    [...files]
      .filter(([path]) => path.startsWith(folder))
      .map(([path, bytes]) => [path.slice(folder.length), bytes]),
  );
  const { config, changes } = configIn(own.get(runFiles.config)!); // it is there
  const checkpoint = newestOf(own);
  const parts = await checkedParts(own, checkpoint);
  const { state } = (json(parts[STATE], checkpoint + STATE) ?? {}) as { readonly state?: TrainerState };
  if (state === undefined || !Number.isSafeInteger(state.step))
    fail(checkpoint + STATE, "a step", state?.step, "The checkpoint is damaged", "corrupt");
  const numbers = (name: string) => {
    const { tensors, metadata } = decodeSafetensors(parts[name], checkpoint + name);
    const read = Object.entries(tensors).map(([path, { data }]): [string, Float32Array] => {
      const bad = data instanceof Float32Array ? notFinite(data) : "numbers of another type";
      if (bad !== undefined)
        fail(checkpoint + name, `finite float32 numbers in ${path}`, String(bad), undefined, "corrupt");
      return [path, data as Float32Array]; // just looked at
    });
    return { read: Object.fromEntries(read), metadata };
  };
  const optimizer =
    parts[OPTIMIZER] === undefined
      ? { read: {}, metadata: {} as Record<string, string> }
      : numbers(OPTIMIZER);
  const remembers = optimizer.metadata.optimizer;
  if (remembers !== config.train.optimizer)
    fail(checkpoint + OPTIMIZER, `the state of ${config.train.optimizer}`, remembers, undefined, "corrupt");
  return {
    ...{ config, changes },
    records: recordsIn(own.get(runFiles.metrics), state.step),
    saved: { state, parameters: numbers(MODEL).read, optimizer: optimizer.read },
  };
}

function configIn(bytes: Uint8Array): Pick<TrainedRun, "config" | "changes"> {
  const {
    statelab: _,
    changes = [],
    ...given
  } = (json(bytes, runFiles.config) ?? {}) as Record<string, unknown>;
  const config = parseWith(RunConfig, given, runFiles.config);
  const foreign = [config.task.name, config.model.name].find((name) => /[./\\]/.test(name));
  if (foreign !== undefined || !Object.hasOwn(tasks, config.task.name))
    fail(
      runFiles.config,
      "a built-in task and model",
      foreign ?? config.task.name,
      "Studio does not run custom code",
    );
  if (config.init?.from !== undefined)
    fail(
      runFiles.config,
      "a run with random initial weights",
      config.init.from,
      "Resume it by statelab train --resume",
    );
  return { config, changes: Array.isArray(changes) ? changes : [] };
}

/** Its folder, with a trailing slash. */
function newestOf(own: ReadonlyMap<string, Uint8Array>): string {
  const steps = [...own.keys()].flatMap((path) => {
    const step = /^checkpoints\/(\d+)\/SHA256SUMS$/.exec(path)?.[1];
    return step === undefined ? [] : [Number(step)];
  });
  if (steps.length === 0)
    fail("run", "a checkpoint (checkpoints/STEP)", "none", "statelab train saves one when it is interrupted");
  return `${runFiles.checkpoints}/${Math.max(...steps)}/`;
}

async function checkedParts(
  own: ReadonlyMap<string, Uint8Array>,
  at: string,
): Promise<Record<string, Uint8Array>> {
  const parts: Record<string, Uint8Array> = {};
  for (const line of textOf(own.get(at + SUMS)!)
    .trimEnd()
    .split("\n")) {
    const [, digest, name] =
      /^([0-9a-f]{64}) {2}([\w.]+)$/.exec(line) ??
      fail(at + SUMS, "checksum lines", line.slice(0, 80), undefined, "corrupt");
    const bytes =
      own.get(at + name) ?? fail(at + name, "a file", "none", "The checkpoint is damaged", "corrupt");
    if ((await sha256(bytes)) !== digest)
      fail(
        at + name,
        "the bytes that were saved (SHA-256)",
        "others",
        "The checkpoint is damaged",
        "corrupt",
      );
    parts[name] = bytes;
  }
  for (const name of [MODEL, STATE])
    if (parts[name] === undefined)
      fail(at + SUMS, `${name} to be listed`, Object.keys(parts).join(", "), undefined, "corrupt");
  return parts;
}

/** Those of steps that the checkpoint has; a line that is none is passed over, as the page of runs does. */
function recordsIn(bytes: Uint8Array | undefined, step: number): StepRecord[] {
  if (bytes === undefined) return [];
  return textOf(bytes)
    .split("\n")
    .flatMap((line) => {
      try {
        const { success, data } = StepRecord.safeParse(JSON.parse(line));
        return success && data.step <= step ? [data] : [];
      } catch {
        return [];
      }
    });
}

function json(bytes: Uint8Array, at: string): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return fail(at, "JSON", textOf(bytes.subarray(0, 80)), "The file is damaged", "corrupt");
  }
}

async function sha256(bytes: Uint8Array): Promise<string> {
  if (globalThis.crypto?.subtle === undefined)
    fail(
      "run",
      "a page from https or localhost, which can compute checksums",
      "another",
      "Download the weights or model.onnx instead",
    );
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
