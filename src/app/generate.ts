/** @file Examples of a task with their true states: drawn one after the other, or written as a data set. */

import { fail, Words } from "../core/error.ts";
import { applySettings } from "../core/settings.ts";
import { DatasetConfig } from "../schemas/dataset.ts";
import { writeDataset } from "../storage/dataset.ts";
import { labVersion } from "../storage/version.ts";
import {
  type Example,
  exampleFrom,
  exampleStream,
  huggingFaceConfig,
  type Prepared,
  type Task,
  taskNamed,
  taskParams,
  toHuggingFace,
  tokenizerNamed,
} from "../tasks/index.ts";
import { isModulePath, loadModule } from "./own-code/load.ts";

/** As a user says it. */
export interface GenerateRequest {
  /** A task by its name or path, or by the path alone: one of the two. */
  readonly name: string | undefined;
  readonly file: string | undefined;
  readonly settings: readonly string[];
  readonly count: number;
  readonly seed: number;
  readonly split: string;
}

export interface Generation {
  readonly task: Task;
  /** The user's own file that the task is from. */
  readonly file: string | undefined;
  readonly prepared: Prepared;
  /** What the examples depend on, for a document. */
  readonly about: Pick<DatasetConfig, "task" | "params" | "seed">;
  readonly split: string;
  readonly count: number;
  /** Draws them. Throws the signal's reason between two. */
  readonly examples: (signal: AbortSignal, onExample?: (done: number) => void) => Generator<Example>;
}

/** Errors: LabError for a task or parameters that there are not; nothing is drawn yet. */
export async function generation(request: GenerateRequest): Promise<Generation> {
  const { settings, count, seed, split } = request;
  const { task, file } = await chosenTask(request);
  const params = taskParams(task, applySettings({}, settings));
  const prepared = task.prepare(params);
  const stream = exampleStream(seed, split);
  return {
    ...{ task, file, prepared, split, count },
    about: DatasetConfig.pick({ task: true, params: true, seed: true }).parse({
      ...{ task: task.name, params, seed },
    }),
    *examples(signal, onExample) {
      for (let i = 0; i < count; i++) {
        signal.throwIfAborted();
        onExample?.(i);
        yield exampleFrom(prepared, stream(i));
      }
    },
  };
}

async function chosenTask({ name, file }: GenerateRequest): Promise<Pick<Generation, "task" | "file">> {
  if ((name === undefined) === (file === undefined)) {
    fail("generate", "either TASK or --task FILE", new Words(name === undefined ? "neither" : "both"));
  }
  const path = file ?? (name !== undefined && isModulePath(name) ? name : undefined);
  // loadModule has checked the fields of a Task.
  const task = path === undefined ? taskNamed(name ?? "") : ((await loadModule("task", path)) as Task);
  return { task, file: path };
}

export interface WriteOptions {
  readonly folder: string;
  readonly format: "jsonl" | "parquet";
  readonly tokenizer: "word" | "character";
  /** The call that makes the same files, for the card. */
  readonly command: string;
  readonly overwrite?: boolean;
  readonly signal: AbortSignal;
  readonly onExample?: (done: number) => void;
}

/** Writes them as a data set, or nothing where it is stopped. */
export function writeGeneration(
  { task, file, prepared, about, split, examples }: Generation,
  { folder, format, tokenizer, command, overwrite = false, signal, onExample }: WriteOptions,
): ReturnType<typeof writeDataset> {
  return writeDataset(folder, {
    rows: examples(signal, onExample),
    variables: prepared.variables,
    outcomes: prepared.posterior === undefined ? [] : prepared.values,
    config: { ...about, ...(file !== undefined && { file }), tokenizer, lab: labVersion() },
    ...{ split, format, command, overwrite },
    tokenizer: toHuggingFace(tokenizerNamed(tokenizer, prepared.words)),
    tokenizerConfig: huggingFaceConfig(tokenizerNamed(tokenizer, prepared.words)),
    summary: task.summary,
    source: task.source,
  });
}
