/** @file What a configuration names, brought together and checked: task, model, device; a user's own files or a run's copies of them. */

import { totalmem } from "node:os";
import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { type Model, modelNamed, parameterShapes } from "../../models/index.ts";
import type { AnyMixer } from "../../models/model.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { runFiles } from "../../storage/index.ts";
import { codeTracesTask } from "../../tasks/code-traces.ts";
import { taskNamed } from "../../tasks/index.ts";
import type { Task } from "../../tasks/task.ts";
import { flattenParameters, type Runtime } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { refuseLargeBatches, refuseWhatCannotFit } from "../../train/memory-check.ts";
import { setUp } from "../../train/setup.ts";
import { refuseDevice } from "../doctor/providers.ts";
import { bundled } from "../own-code/bundle.ts";
import { isModulePath, loadSource, type OwnKind, type OwnSources } from "../own-code/load.ts";
import { requireTrust, trustCode, UntrustedCode } from "../own-code/trust.ts";
import { taskOfRows } from "./data-set-folder.ts";
import { editedSince, keptSources, readOrigin } from "./provenance.ts";
import { configOf } from "./saved-config.ts";
import { tracesIn } from "./trace-folder.ts";

async function taskOf({ task: { name, folder } }: RunConfig, own: OwnSources): Promise<Task> {
  if (own.task !== undefined) return (await loadSource("task", own.task, name)) as Task; // its shape is checked on loading
  if (name === "data-set")
    return taskOfRows(
      typeof folder === "string" ? folder : fail("task.folder", "a folder of rows", folder ?? "nothing"),
    );
  if (name !== "code-traces") return taskNamed(name);
  if (typeof folder !== "string") fail("task.folder", "a folder of code traces", folder ?? "nothing");
  // A task takes exactly what its own schema gives.
  return codeTracesTask(tracesIn(folder)) as unknown as Task;
}

/** Own files as text: of a name that is a path the file on the disk, unless a run has `kept` it. Nothing is run. */
async function ownOf(config: RunConfig, kept: OwnSources): Promise<OwnSources> {
  const sourceOf = async (kind: OwnKind) => {
    const { name } = config[kind];
    return isModulePath(name) ? { [kind]: kept[kind] ?? (await bundled(name)) } : {};
  };
  return { ...(await sourceOf("task")), ...(await sourceOf("model")) };
}

/** Who says that own files may run: throws where they may not. */
type Permit = (own: OwnSources) => void;

/** The task, model and device that a configuration names; `own` are the files of the user's own that it took. */
export async function partsOf(config: RunConfig, { kept = {}, permit }: KeptOptions = {}) {
  const own = await ownOf(config, kept);
  permit?.(own);
  const task = await taskOf(config, own);
  const { name } = config.model;
  const architecture =
    own.model === undefined ? modelNamed(name) : ((await loadSource("model", own.model, name)) as AnyMixer); // likewise
  await refuseDevice(config.device);
  const runtime: Runtime = nodeRuntime({ device: config.device, threads: config.threads });
  return { task, architecture, runtime, own, now: () => performance.now() };
}

/** Memory of the machine, or of the container that this process is in. */
export function machineBytes(): number {
  const constrained = process.constrainedMemory?.() ?? 0; // 0, or more than there is, where nothing is said
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

interface KeptOptions {
  /** Own files of a run, in place of those on the disk. */
  readonly kept?: OwnSources | undefined;
  /** Absent where the user has named the configuration: then its files may run. */
  readonly permit?: Permit | undefined;
}

export interface InspectOptions extends KeptOptions {
  /** Whether the machine must be able to hold the training. */
  readonly toTrain?: boolean | undefined;
  /** Those of a checkpoint, whose shapes the model must have. */
  readonly weights?: Readonly<Record<string, StoredTensor>> | undefined;
}

/** What a configuration asks for; a mistake in it is told as one of the file `at`. */
export async function inspectConfig(
  config: RunConfig,
  at: string,
  { kept, permit, toTrain = false, weights }: InspectOptions = {},
) {
  try {
    const parts = await partsOf(config, { kept, permit });
    const setup = setUp(config, parts);
    const { data, model } = setup;
    if (weights !== undefined) {
      refuseOtherShapes(model, weights);
      refuseLargeBatches(setup, machineBytes());
    }
    if (toTrain) refuseWhatCannotFit(setup, machineBytes());
    void data.heldOut; // programs that cannot be held out are refused here
    for (const [i, change] of config.evaluate.tests.entries()) data.variant(change, `evaluate.tests.${i}`);
    return { parts, setup, data, model };
  } catch (error) {
    if (error instanceof LabError && !(error instanceof UntrustedCode))
      throw new LabError(`${at}, ${error.message}`, error.kind);
    throw error;
  }
}

/** A configuration may be somebody else's: one whose model is not that of the weights is found before anything is made of its size. */
function refuseOtherShapes(model: Model, weights: Readonly<Record<string, StoredTensor>>): void {
  const shown = (shape: readonly number[] | undefined) =>
    shape === undefined ? "none" : `[${shape.join(", ")}]`;
  // What objectives have of their own is in the checkpoint, too.
  for (const [path, { shape }] of flattenParameters(parameterShapes(model))) {
    const [wanted, got] = [shape, weights[path]?.shape].map(shown);
    if (wanted !== got)
      fail(
        "model",
        `${path} of the shape ${got}, as the checkpoint has it`,
        wanted,
        "The configuration is not that of the weights",
        "corrupt",
      );
  }
}

export interface KeptParts {
  /** The own files that the run was made with. */
  readonly kept: OwnSources;
  /** Whether they are all that it has. */
  readonly pinned: boolean;
  /** One sentence for each that is not the same on the disk any more, or was not kept. */
  readonly remarks: readonly string[];
  /** Refuses what this user has not trusted. */
  readonly permit: Permit;
}

/** The own files of a run. With `asEdited` those on the disk count, whatever was kept. */
export async function keptParts(folder: string, config: RunConfig, asEdited = false): Promise<KeptParts> {
  const onDisk = (own: OwnSources) => requireTrust(own, ({ path }) => path, asEdited);
  if (asEdited) return { kept: {}, pinned: false, remarks: [], permit: onDisk };
  const origin = await readOrigin(folder);
  if (origin !== undefined) {
    const fileOf = (path: string) => Object.values(origin.own).find((kept) => kept.path === path)?.file;
    const permit = (own: OwnSources) =>
      requireTrust(own, ({ path }) => join(folder, fileOf(path) ?? path), false);
    return {
      ...{ kept: keptSources(folder, origin), pinned: true, permit },
      remarks: editedSince(folder, origin),
    };
  }
  const paths = [config.task.name, config.model.name].filter(isModulePath);
  const remarks = paths.map((path) => `${folder} keeps no copy of ${path}: it is used as it is now`);
  return { kept: {}, pinned: paths.length === 0, remarks, permit: onDisk };
}

/**
 * Trusts the own code of a run, as `--trust-run` does: its kept copies, or where it has none the files that it names. Remembered
 * by their hash. Errors: LabError where there is no run, or the files cannot be read.
 */
export async function trustRun(folder: string): Promise<void> {
  const config = await configOf(folder);
  trustCode(await ownOf(config, (await keptParts(folder, config)).kept));
}

export interface InspectRunOptions extends Pick<InspectOptions, "toTrain" | "weights"> {
  /** With the own files on the disk, whatever was kept. */
  readonly asEdited?: boolean | undefined;
}

/** `inspectConfig` of a run that is there. */
export async function inspectRun(
  folder: string,
  config: RunConfig,
  { asEdited, toTrain, weights }: InspectRunOptions = {},
) {
  const { kept, pinned, remarks, permit } = await keptParts(folder, config, asEdited);
  const at = join(folder, runFiles.config);
  const inspected = await inspectConfig(config, at, { kept, permit, toTrain, weights });
  return { ...inspected, pinned, remarks };
}
