/** @file A run's configuration from a YAML file, with settings over it. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fail } from "../../core/error.ts";
import { applySettings, lineOfKey, parseWith, parseYaml } from "../../core/settings.ts";
import { configSchema, models } from "../../models/index.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { isModulePath } from "../own-code/load.ts";

/**
 * A YAML file with the settings of the command line over it, as the schema wants it. Where a setting names another model, the
 * file's keys that only its own model has are left out, and `say` says so.
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
    return fail(file, "a readable YAML file", got ?? code ?? String(error), "Samples are in examples/");
  }
  const written = parseYaml(text, file);
  const value = applySettings(written, settings) as Record<string, Record<string, unknown>>;
  const left = keysOfOtherModel(written, value, settings);
  if (left.length > 0) {
    value.model = Object.fromEntries(Object.entries(value.model).filter(([key]) => !left.includes(key)));
    own.say?.(`statelab: ${value.model.name} has no ${left.join(", ")}: left out of ${file}'s model`);
  }
  for (const kind of ["task", "model"] as const) {
    const path = own[kind];
    if (path !== undefined) value[kind] = { ...value[kind], name: path };
    const name = value[kind]?.name;
    // Absolute, so that `resume` finds it from wherever it is called.
    if (typeof name === "string" && isModulePath(name)) value[kind] = { ...value[kind], name: resolve(name) };
  }
  const folder = value.task?.folder;
  if (typeof folder === "string") value.task = { ...value.task, folder: resolve(folder) };
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

/** What the file says of its model that a model named by a setting does not have, and that no setting asks for. */
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

/** Whether what is at `path` of the value is the file's, and of no setting. */
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
