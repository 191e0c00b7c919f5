/** @file statelab train: train a model as a configuration file says. */

import { basename, join } from "node:path";
import { readConfigFile } from "../app/run/config.ts";
import { trainRun } from "../app/run/train.ts";
import { keyNamed, keyPaths } from "../core/settings.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, setOption } from "./lib/flags.ts";
import { reporting } from "./lib/training.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a model as a configuration file says",
  usage: "train CONFIG.yaml [--set KEY=VALUE ...] [--out DIR]",
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    set: { ...setOption, keyNamed: (name) => keyNamed(name, keyPaths(RunConfig)) },
    seed: flag.text("S", "in place of the file's seed"),
    task: flag.text("FILE", "a task of your own, in place of task.name"),
    model: flag.text("FILE", "a model of your own, in place of model.name"),
    out: flag.text("DIR", "the run's folder; default runs/NAME after the file's name"),
    device: flag.text("DEVICE", "cpu, cuda or webgpu, in place of the file's"),
    threads: flag.text("N", "within an op; with 1 (the default) a seed gives the same bits"),
    unchecked: flag.toggle("train files of your own though statelab check finds faults"),
    overwrite: flag.toggle("replace a run that is there"),
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
    const config = readConfigFile(file, settings, { task: values.task, model: values.model, say });
    const folder = values.out ?? join("runs", basename(file).replace(/\.ya?ml$/, ""));
    const report = reporting(folder, config.train.steps, { json, print, say, signal });
    const options = {
      ...report.options,
      overwrite: values.overwrite,
      unchecked: values.unchecked,
      source: file,
    };
    return report.finish(await trainRun(folder, config, options));
  },
});
