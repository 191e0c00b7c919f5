/**
 * @file The configuration of a run: read from a YAML file with `--set` settings applied, or from config.json of a run folder.
 *
 *     {"train": {"learningRate": 0.001, ...}, ..., "statelab": "0.1.0",
 *      "changes": [{"step": 400, "set": {"train.learningRate": {"from": 0.005, "to": 0.001}}}]}
 *
 * config.json contains the current configuration, the version that wrote it and the changes made by `train --resume RUN --set`. A checkpoint
 * records the configuration that trained it, which must match that of the folder except for later changes.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { applySettings, lineOfKey, parseWith, parseYaml } from "../../core/settings.ts";
import { configSchema, models } from "../../models/index.ts";
import { RunConfig, trainedBy } from "../../schemas/run-config.ts";
import { type Checkpoint, readConfig, runFiles } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";
import { isModulePath } from "../own-code/load.ts";

/**
 * Reads a YAML file, applies the settings of the command line and validates the result. If a setting selects another model,
 * keys that only the file's model has are dropped, and `say` reports them.
 */
export function readConfigFile(
  file: string,
  settings: readonly string[],
  own: {
    readonly task: string | undefined;
    readonly model: string | undefined;
    readonly say?: ((text: string) => void) | undefined;
  },
): RunConfig {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code
    const got = { ENOENT: "no such file", EISDIR: "a folder", EACCES: "no permission to read it" }[
      code ?? ""
    ];
    return fail(file, "a readable YAML file", got ?? code ?? String(error), "See examples/");
  }
  const written = parseYaml(text, file);
  const value = applySettings(written, settings) as Record<string, Record<string, unknown>>;
  const left = keysOfOtherModel(written, value, settings);
  if (left.length > 0) {
    value.model = Object.fromEntries(Object.entries(value.model).filter(([key]) => !left.includes(key)));
    own.say?.(`statelab: ignored in the model of ${file}: ${left.join(", ")} (${value.model.name} has none)`);
  }
  for (const kind of ["task", "model"] as const) {
    const path = own[kind];
    const text: unknown = value[kind];
    if (typeof text === "string")
      fail(
        file,
        `${kind} to be an object`,
        text,
        `Write ${kind}: { name: ${text} }, or --set ${kind}.name=${text}`,
      );
    if (path !== undefined) value[kind] = { ...value[kind], name: path };
    const name = value[kind]?.name;
    // Absolute, so that `train --resume` finds it from any working directory.
    if (typeof name === "string" && isModulePath(name)) value[kind] = { ...value[kind], name: resolve(name) };
  }
  const folder = value.task?.folder;
  if (typeof folder === "string") value.task = { ...value.task, folder: resolve(folder) };
  const tokens = value.tokenizer?.file;
  if (typeof tokens === "string") value.tokenizer = { ...value.tokenizer, file: resolve(tokens) };
  const at = (path: readonly PropertyKey[]) => {
    const line = isFrom(written, value, path) ? lineOfKey(text, path) : undefined;
    return line === undefined ? file : `${file}, line ${line}`;
  };
  const config = parseWith(RunConfig, value, at);
  const schema = schemaOf(config.model.name);
  if (schema !== undefined)
    parseWith<unknown>(schema, config.model, (path) => `${at(["model", ...path])}, model`);
  return config;
}

const schemaOf = (name: unknown) =>
  typeof name === "string" && Object.hasOwn(models, name)
    ? configSchema(models[name as keyof typeof models])
    : undefined;

/** Model keys of the file that the model selected by a setting lacks and that no setting assigns. */
function keysOfOtherModel(written: unknown, value: unknown, settings: readonly string[]): string[] {
  const [before, after] = [written, value].map((whole) => valueAt(whole, ["model"]));
  const [old, now] = [before, after].map((model) => schemaOf(valueAt(model, ["name"])));
  if (now === undefined || before === undefined || valueAt(before, ["name"]) === valueAt(after, ["name"]))
    return [];
  if (settings.some((setting) => setting.startsWith("model="))) return [];
  const isSet = (key: string) =>
    settings.some((setting) => setting.startsWith(`model.${key}=`) || setting.startsWith(`model.${key}.`));
  return Object.keys(before as object).filter(
    (key) =>
      !Object.hasOwn(now.shape, key) && (old === undefined || Object.hasOwn(old.shape, key)) && !isSet(key),
  );
}

/** True if no setting changed the value at `path`. */
function isFrom(written: unknown, value: unknown, path: readonly PropertyKey[]): boolean {
  return JSON.stringify(valueAt(written, path)) === JSON.stringify(valueAt(value, path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

const Change = z.strictObject({
  /** Steps done before the change. */
  step: z.int().min(0),
  /** By key; `from` is absent if the key was. */
  set: z.record(z.string(), z.strictObject({ from: z.unknown().optional(), to: z.unknown() })),
});
type Change = z.infer<typeof Change>;

export interface WrittenConfig {
  readonly config: RunConfig;
  readonly changes: readonly Change[];
}

/** Errors: LabError where the folder has no config.json, or a damaged one. */
export async function writtenConfig(folder: string): Promise<WrittenConfig> {
  const at = join(folder, runFiles.config);
  const written = parseWith(z.record(z.string(), z.unknown()), await readConfig(folder), at);
  const { statelab: _, changes = [], ...config } = written;
  return {
    config: parseWith(RunConfig, config, at),
    changes: parseWith(z.array(Change), changes, `${at}, changes`),
  };
}

/** The configuration in a run's folder. Errors: LabError where it is missing or damaged. */
export async function configOf(folder: string): Promise<RunConfig> {
  return (await writtenConfig(folder)).config;
}

/** The content of config.json. */
export const asWritten = ({ config, changes }: WrittenConfig) => ({
  ...config,
  statelab: labVersion(),
  ...(changes.length > 0 && { changes }),
});

/** Keys that `train --resume RUN --set` may change: any other change would make it another run. */
const changeable = [
  "train.learningRate",
  "train.maxGradNorm",
  "train.steps",
  "train.decayCheckpoints",
  "train.patience",
  "checkpointEvery",
  "device",
  "threads",
] as const;

/** Settings applied to the configuration of a run; `after(step)` is what config.json says once it resumes after that step. */
interface ChangedConfig {
  readonly config: RunConfig;
  /** Errors: LabError for fewer train.steps than are done. */
  after(step: number): WrittenConfig;
}

/** Errors: LabError for a key that cannot be changed. */
export function withSettings(written: WrittenConfig, settings: readonly string[]): ChangedConfig {
  const { config: before, changes } = written;
  if (settings.length === 0) return { config: before, after: () => written };
  const keys = settings.map((setting) => setting.split("=")[0]);
  const other = keys.findIndex((key) => !(changeable as readonly string[]).includes(key));
  if (other !== -1) {
    fail(
      `--set ${settings[other]}`,
      `one of ${changeable.join(", ")}`,
      keys[other],
      "Other changes need a new run: statelab train",
    );
  }
  const config = parseWith(RunConfig, applySettings(before, settings), "--set");
  const set: Change["set"] = {};
  for (const key of keys) {
    const [from, to] = [before, config].map((each) => valueAt(each, key.split(".")));
    if (!isDeepStrictEqual(from, to)) set[key] = { ...(from !== undefined && { from }), to };
  }
  return {
    config,
    after(step) {
      if (config.train.steps < step)
        fail("--set train.steps", `at least ${step}, the steps already trained`, config.train.steps);
      return {
        config,
        changes: Object.keys(set).length === 0 ? changes : [...changes, { step, set }],
      };
    },
  };
}

/**
 * Refuses a checkpoint trained by another configuration than that of the folder and names the first field that differs.
 * Changes recorded after the checkpoint do not count.
 */
export function assertSameConfig(
  folder: string,
  { config, changes }: WrittenConfig,
  checkpoint: Checkpoint,
): void {
  if (checkpoint.config === undefined) return; // written by a version that recorded none
  const was = trainedBy(parseWith(RunConfig, checkpoint.config, join(checkpoint.folder, "state.json")));
  let now: unknown = trainedBy(config);
  for (const change of changes.toReversed()) {
    if (change.step < checkpoint.step || isDeepStrictEqual(now, was)) break;
    for (const [key, { from }] of Object.entries(change.set)) {
      if (key.startsWith("train.")) now = withValue(now, key.split("."), from); // other keys do not affect the weights
    }
  }
  const different = firstDifference(was, now, "");
  if (different === undefined) return;
  fail(
    join(folder, runFiles.config),
    `${different.key} to be ${JSON.stringify(different.wanted) ?? "absent"}, as the checkpoint of step ${checkpoint.step} was trained`,
    different.got ?? "nothing",
    `Restore it, or change a setting with statelab train --resume ${shellWord(folder)} --set KEY=VALUE`,
  );
}

export interface Difference {
  readonly key: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

/** The first key at which two plain values differ. */
export function firstDifference(wanted: unknown, got: unknown, key: string): Difference | undefined {
  if (isDeepStrictEqual(wanted, got)) return undefined;
  if (!isObject(wanted) || !isObject(got)) return { key, wanted, got };
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    const inner = firstDifference(wanted[name], got[name], key === "" ? name : `${key}.${name}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy with `value` at `path`, or without that key if `value` is undefined. */
function withValue(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (!isObject(target)) return target;
  const { [name]: before, ...others } = target;
  const after = rest.length === 0 ? value : withValue(before, rest, value);
  return after === undefined ? others : { ...others, [name]: after };
}
