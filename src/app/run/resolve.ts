/**
 * @file A configuration resolved once for training, evaluation or export: task, model, data, objectives, optimizer and runtime,
 * checked against each other and against the machine. All later code reads the resolved value.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { nearest } from "../../core/did-you-mean.ts";
import { fail, LabError } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { describeModel, type Model, modelNamed, parameterShapes } from "../../models/index.ts";
import type { AnyMixer } from "../../models/model.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { State } from "../../schemas/trace.ts";
import { openRows } from "../../storage/dataset/rows.ts";
import { readDatasetConfig } from "../../storage/dataset.ts";
import { parseJson, readInput, runFiles } from "../../storage/index.ts";
import { type CodeTrace, codeTracesTask } from "../../tasks/code-traces.ts";
import { dataSetTask } from "../../tasks/dataset-task.ts";
import { fileTokenizer } from "../../tasks/file-tokenizer.ts";
import { type Prepared, type Task, taskNamed, taskParams, tasks } from "../../tasks/index.ts";
import { tokenizedTask } from "../../tasks/tokenized.ts";
import { flattenParameters, type Runtime } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { refuseLargeBatches, refuseWhatCannotFit } from "../../train/memory-check.ts";
import { type Setup, setUp } from "../../train/setup.ts";
import { drawHeldOut, type HeldOut } from "../../train/validation.ts";
import { refuseDevice } from "../doctor/providers.ts";
import { loadSource, type OwnSource, type OwnSources } from "../own-code/load.ts";
import { UntrustedCode } from "../own-code/trust.ts";
import { keptParts, type NamedParts, ownOf, type Permit } from "./provenance.ts";

/** A training that is ready to start: `trainerOf(resolved, resolved)`. */
export interface Resolved extends Setup {
  /** The configuration as config.json has it, with the defaults of the model. */
  readonly written: RunConfig;
  readonly task: Task;
  readonly heldOut: HeldOut | undefined;
  readonly runtime: Runtime;
  /** The user's own files that it uses. */
  readonly own: OwnSources;
  readonly now: () => number;
}

interface KeptOptions {
  /** Own files kept by a run, used instead of those on the disk. */
  readonly kept?: OwnSources | undefined;
  /** Absent if the user named the configuration on the command line: then its own files may run. */
  readonly permit?: Permit | undefined;
}

interface ResolveOptions extends KeptOptions {
  /** Refuse a training that exceeds the memory of this machine. */
  readonly toTrain?: boolean | undefined;
  /** Tensors of a checkpoint, whose shapes the model must have. */
  readonly weights?: Readonly<Record<string, StoredTensor>> | undefined;
}

/** Resolves a configuration. Errors: LabError that names `at`, the file it was read from. */
export async function resolve(
  config: RunConfig,
  at: string,
  { kept, permit, toTrain = false, weights }: ResolveOptions = {},
): Promise<Resolved> {
  try {
    const parts = await partsOf(config, { kept, permit });
    const setup = setUp(config, parts);
    const { model } = setup;
    if (weights !== undefined) {
      refuseOtherShapes(model, weights);
      refuseLargeBatches(setup, machineBytes());
    }
    if (toTrain) refuseWhatCannotFit(setup, machineBytes());
    const heldOut = drawHeldOut(setup.data); // now, so that a task without enough programs is refused
    for (const [i, change] of config.evaluate.settings.entries())
      setup.data.variant(change, `evaluate.settings.${i}`);
    const { task, runtime, own, now } = parts;
    const written = {
      ...config,
      model: { ...describeModel(model), name: config.model.name },
      train: { ...config.train, shares: setup.shares },
    };
    return Object.freeze({ ...setup, heldOut, written, task, runtime, own, now });
  } catch (error) {
    if (error instanceof LabError && !(error instanceof UntrustedCode))
      throw new LabError(`${at}, ${error.message}`, error.kind);
    throw error;
  }
}

interface ResolveRunOptions extends Pick<ResolveOptions, "toTrain" | "weights"> {
  /** Use the own files on the disk, even if the run kept copies. */
  readonly useCurrentCode?: boolean | undefined;
}

interface ResolvedRun extends Resolved {
  /** Whether all own files are copies kept by the run. */
  readonly pinned: boolean;
  readonly remarks: readonly string[];
}

/** Resolves the configuration of an existing run, with the own files that it kept. */
export async function resolveRun(
  folder: string,
  config: RunConfig,
  { useCurrentCode, toTrain, weights }: ResolveRunOptions = {},
): Promise<ResolvedRun> {
  const { kept, pinned, remarks, permit } = await keptParts(folder, config, useCurrentCode);
  const at = join(folder, runFiles.config);
  const resolved = await resolve(config, at, { kept, permit, toTrain, weights });
  return Object.freeze({ ...resolved, pinned, remarks });
}

/** The task, model and device that a configuration names; `own` are the own files that it uses. */
export async function partsOf(
  { device, threads, ...named }: NamedParts & Pick<RunConfig, "device" | "threads">,
  { kept = {}, permit }: KeptOptions = {},
) {
  const own = await ownOf(named, kept);
  permit?.(own);
  const task = await taskOf(named.task, own);
  const tokenizer = own.tokenizer && (await tokenizerOf(own.tokenizer));
  const { name } = named.model;
  const architecture =
    own.model === undefined ? modelNamed(name) : ((await loadSource("model", own.model, name)) as AnyMixer); // its shape is checked on loading
  await refuseDevice(device);
  const runtime: Runtime = nodeRuntime({ device, threads });
  const parts = { architecture, runtime, own, now: () => performance.now() };
  return { ...parts, task: tokenizer === undefined ? task : tokenizedTask(task, tokenizer) };
}

const tokenizerOf = ({ path, code }: OwnSource) => fileTokenizer(parseJson(code, path), path);

async function taskOf({ name, folder }: RunConfig["task"], own: OwnSources): Promise<Task> {
  if (own.task !== undefined) return (await loadSource("task", own.task, name)) as Task; // its shape is checked on loading
  if (name === "data-set")
    return rowsTask(
      typeof folder === "string" ? folder : fail("task.folder", "a folder of rows", folder ?? "nothing"),
    );
  if (name !== "code-traces") return taskNamed(name);
  if (typeof folder !== "string") fail("task.folder", "a folder of code traces", folder ?? "nothing");
  return codeTracesTask(tracesIn(folder)) as unknown as Task; // a task takes exactly what its own schema gives
}

/** The data set in a folder as a task. Errors: LabError if there is none, or that names the file and line of an invalid row. */
export async function rowsTask(folder: string): Promise<Task> {
  const splits = await openRows(folder);
  const made = await generatorOf(folder);
  return dataSetTask({ splits, made }) as unknown as Task; // a task takes exactly what its own schema gives
}

/** The task that made the rows, by config.json; undefined for the user's own rows and for rows of an own task file. */
async function generatorOf(folder: string): Promise<Prepared | undefined> {
  const config = await readDatasetConfig(folder);
  if (config === undefined || config.file !== undefined) return undefined;
  const { task: name, params } = config;
  if (!Object.hasOwn(tasks, name)) {
    const close = nearest(name, Object.keys(tasks));
    const hint = close === undefined ? "Restore the name, or delete config.json" : `Did you mean ${close}?`;
    fail(join(folder, "config.json"), "task to be one of statelab's tasks", name, hint, "corrupt");
  }
  const task = taskNamed(name);
  return task.prepare(taskParams(task, params));
}

const Line = z.object({ code: z.string(), state: State.nullable() });
const Trace = z.object({
  code: z.string(),
  literal: z.string().nullable(),
  lines: z.array(Line).optional(),
});
const Row = z.union([z.object({ trace: Trace }), Trace]);
const HINT = "Create one with statelab data trace";

/**
 * The code traces of every *.jsonl in a folder, as written by `data trace` or `trace --format jsonl`.
 * @throws LabError if there are none, or that names the file and line of an invalid trace.
 */
export function tracesIn(folder: string): CodeTrace[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    fail(folder, "a folder of code traces", existsSync(folder) ? "a file" : "nothing there", HINT);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
  if (files.length === 0) fail(folder, "a .jsonl file of code traces", "none", HINT);
  return files.flatMap((name) => {
    const path = join(folder, name);
    const lines = readInput(path, { regular: true }).toString("utf8").split("\n");
    return lines.flatMap((line, i) => {
      if (line.trim() === "") return [];
      const at = `${path}, line ${i + 1}`;
      const row = parseWith(Row, parseJson(line, at), at);
      const trace = "trace" in row ? row.trace : row;
      const code = trace.lines?.map(({ code }) => `${code}\n`).join("");
      if (code !== undefined && code !== trace.code) fail(at, "lines that make up the code", code);
      return [trace];
    });
  });
}

/** Memory of the machine, or of the container of this process. */
export function machineBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0; // 0 or more than the total if there is no limit
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Checks a downloaded configuration against its weights before anything of the configured size is allocated. */
function refuseOtherShapes(model: Model, weights: Readonly<Record<string, StoredTensor>>): void {
  const shown = (shape: readonly number[] | undefined) =>
    shape === undefined ? "none" : `[${shape.join(", ")}]`;
  // The checkpoint may hold further tensors: the parameters of objectives.
  for (const [path, { shape }] of flattenParameters(parameterShapes(model))) {
    const [wanted, got] = [shape, weights[path]?.shape].map(shown);
    if (wanted !== got)
      fail(
        "model",
        `${path} of the shape ${got}, as the checkpoint has it`,
        wanted,
        "The configuration does not match the weights",
        "corrupt",
      );
  }
}
