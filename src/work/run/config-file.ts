/** @file A run's configuration from a YAML file, with settings over it. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { applySettings, parseWith, parseYaml } from "../../records/config.ts";
import { fail } from "../../records/error.ts";
import { RunConfig } from "../../records/run.ts";
import { isModulePath } from "./load.ts";

/** A YAML file with the settings of the command line over it, as the schema wants it. */
export function readConfigFile(
  file: string,
  settings: readonly string[],
  own: { readonly task: string | undefined; readonly model: string | undefined },
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
  const value = applySettings(parseYaml(text, file), settings) as Record<string, Record<string, unknown>>;
  for (const kind of ["task", "model"] as const) {
    const path = own[kind];
    if (path !== undefined) value[kind] = { ...value[kind], name: path };
    const name = value[kind]?.name;
    // Absolute, so that `resume` finds it from wherever it is called.
    if (typeof name === "string" && isModulePath(name)) value[kind] = { ...value[kind], name: resolve(name) };
  }
  const folder = value.task?.folder;
  if (typeof folder === "string") value.task = { ...value.task, folder: resolve(folder) };
  return parseWith(RunConfig, value, file);
}
