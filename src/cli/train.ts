/** @file statelab train: train a model as a configuration file says, or continue an interrupted training. */

import { basename, join } from "node:path";
import { readConfigFile, withSettings, writtenConfig } from "../app/run/config.ts";
import { resumeRun } from "../app/run/resume.ts";
import { trainRun } from "../app/run/train.ts";
import { fail, Words } from "../core/error.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group } from "./lib/flags.ts";
import { configSetOption, reporting } from "./lib/training.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a model from a configuration file, or continue an interrupted training",
  usage: "train CONFIG.yaml [--set KEY=VALUE ...] [--out DIR], or train --resume RUN",
  opensRuns: true,
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    resume: flag.text(
      "RUN",
      "continue this run; --set may change train.steps, train.learningRate and others",
    ),
    ...group("Configuration", {
      set: configSetOption,
      seed: flag.text("S", "in place of the file's seed"),
      task: flag.text("FILE", "a task of your own, in place of task.name"),
      model: flag.text("FILE", "a model of your own, in place of model.name"),
    }),
    ...group("Run", {
      out: flag.text("DIR", "the run's folder; default runs/NAME after the file's name"),
      device: flag.text("DEVICE", "cpu, cuda or webgpu, in place of the file's"),
      threads: flag.text("N", "within an op; with 1 (the default) a seed gives the same bits"),
      unchecked: flag.toggle("train files of your own though statelab check finds faults"),
      overwrite: flag.toggle("replace a run that is there"),
    }),
  },
  examples: [
    "train examples/deltanet.yaml",
    "train examples/deltanet.yaml --set train.steps=100 --set model.betaMax=1 --out runs/shrinking",
    "train examples/deltanet.yaml --model ./mine.ts",
    "train --resume runs/deltanet",
    "train --resume runs/deltanet --set train.steps=2000",
  ],
  notes:
    "Writes config.json, metrics.jsonl, checkpoints/, and when it is finished model.onnx, step.onnx and tokenizer.json.\n" +
    "Ctrl-C saves; statelab train --resume DIR continues. Without --set the result is the same, bit for bit, as if it had never\n" +
    "stopped. A finished run continues with more train.steps. train.learningRate, train.maxGradNorm, checkpointEvery, device and threads\n" +
    "may be changed, too. What is changed stands in config.json.",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const settings = [...values.set];
    for (const key of ["seed", "device", "threads"] as const) {
      if (values[key] !== undefined) settings.push(`${key}=${values[key]}`);
    }
    if (values.resume !== undefined) {
      const given = newRunFlags.find((name) => Boolean(values[name]));
      if (given !== undefined) fail("train --resume", "flags of a run that is there", `--${given}`);
      if (file !== undefined) fail("train", "either CONFIG.yaml or --resume RUN", new Words("both"));
      const { config } = withSettings(await writtenConfig(values.resume), settings);
      const report = reporting(values.resume, config.train.steps, { json, print, say, signal });
      return report.finish(await resumeRun(values.resume, { ...report.options, settings }));
    }
    if (file === undefined) return fail("train", "CONFIG.yaml or --resume RUN", new Words("neither"));
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

/** Flags that only a new run has. */
const newRunFlags = ["task", "model", "out", "unchecked", "overwrite"] as const;
