/** @file statelab train: train a model as a configuration file says. */

import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { applySettings, parseWith, parseYaml } from "../records/config.ts";
import { fail } from "../records/error.ts";
import { RunConfig } from "../records/run.ts";
import { defineCommand, setOption } from "./command.ts";
import { isModulePath } from "./load.ts";
import { reporting } from "./train-report.ts";
import { trainNew } from "./train-run.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a model as a configuration file says",
  usage: "train CONFIG.yaml [--set KEY=VALUE ...] [--out DIR]",
  positionals: { least: 1, most: 1 },
  options: {
    set: setOption,
    seed: { type: "string", value: "S", description: "in place of the file's seed" },
    task: { type: "string", value: "FILE", description: "a task of your own, in place of task.name" },
    model: { type: "string", value: "FILE", description: "a model of your own, in place of model.name" },
    out: {
      type: "string",
      value: "DIR",
      description: "the run's folder; default runs/NAME after the file's name",
    },
    device: { type: "string", value: "DEVICE", description: "cpu, cuda or webgpu, in place of the file's" },
    threads: {
      type: "string",
      value: "N",
      description: "within an op; with 1 (the default) a seed gives the same bits",
    },
    overwrite: { type: "boolean", description: "replace a run that is there" },
  },
  examples: [
    "train examples/deltanet.yaml",
    "train examples/deltanet.yaml --set train.steps=100 --set model.betaMax=1 --out runs/shrinking",
    "train examples/deltanet.yaml --model ./mine.ts",
  ],
  notes:
    "Writes config.json, metrics.jsonl, checkpoints/, and when it is finished model.onnx, step.onnx and tokenizer.json.\n" +
    "Ctrl-C saves; statelab resume DIR goes on.",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const settings = [...values.set];
    for (const key of ["seed", "device", "threads"] as const) {
      if (values[key] !== undefined) settings.push(`${key}=${values[key]}`);
    }
    const config = readConfigFile(file, settings, { task: values.task, model: values.model });
    const folder = values.out ?? join("runs", basename(file).replace(/\.ya?ml$/, ""));
    const report = reporting(folder, config.train.steps, { json, print, say, signal });
    const options = { ...report.options, overwrite: values.overwrite, source: file };
    return report.finish(await trainNew(folder, config, options));
  },
});

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
