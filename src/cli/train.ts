/** @file statelab train: train a model as a configuration file says, or continue an interrupted training. */

import { basename, join } from "node:path";
import { readConfigFile, withSettings, writtenConfig } from "../app/run/config.ts";
import { resumeRun } from "../app/run/resume.ts";
import { trainRun } from "../app/run/train.ts";
import { fail, Words } from "../core/error.ts";
import { defineCommand } from "./lib/command.ts";
import { deviceOption, flag, group } from "./lib/flags.ts";
import { configSetOption, logOption, reporting } from "./lib/training.ts";

export const command = defineCommand({
  name: "train",
  summary: "train a model, or continue an interrupted training",
  usage: "train CONFIG.yaml [OPTIONS], or train --resume RUN [OPTIONS]",
  opensRuns: true,
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    ...group("Configuration", {
      set: configSetOption,
      seed: flag.text("S", "random seed [the file's]"),
      task: flag.text("FILE", "use your own task file"),
      model: flag.text("FILE", "use your own model file"),
    }),
    ...group("Run", {
      resume: flag.text("RUN", "continue this run"),
      out: flag.text("DIR", "run folder [runs/NAME, from the file name]"),
      overwrite: flag.toggle("replace an existing run"),
      device: deviceOption("the file's"),
      threads: flag.text("N", "threads per operation; 1 is reproducible bit for bit [1]"),
      "allow-fallback": flag.toggle("train on webgpu even if the CPU computes some operators"),
      log: logOption,
      unchecked: flag.toggle("skip the checks of --task and --model files"),
    }),
  },
  examples: [
    "train examples/deltanet.yaml",
    "train examples/deltanet.yaml --set train.steps=100 --out runs/short",
    "train --resume runs/deltanet",
  ],
  notes:
    "Writes config.json, metrics.jsonl and checkpoints/; at the end also model.onnx, step.onnx and tokenizer.json. --log tensorboard also writes tensorboard/.\n" +
    "Ctrl-C saves; statelab train --resume RUN continues. A finished run continues with a larger train.steps.\n" +
    "It uses as many cores as OMP_NUM_THREADS allows, with equal results.\n" +
    "More: docs/how-to/train.md",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const settings = [...values.set];
    for (const key of ["seed", "device", "threads"] as const) {
      if (values[key] !== undefined) settings.push(`${key}=${values[key]}`);
    }
    if (values.resume !== undefined) {
      const given = newRunFlags.find((name) => Boolean(values[name]));
      if (given !== undefined) fail("train --resume", "options of an existing run", `--${given}`);
      if (file !== undefined) fail("train", "either CONFIG.yaml or --resume RUN", new Words("both"));
      const { config } = withSettings(await writtenConfig(values.resume), settings);
      const report = reporting(values.resume, config.train.steps, { json, print, say, signal });
      const options = {
        ...{ ...report.options, settings, log: values.log },
        allowFallback: values["allow-fallback"],
      };
      return report.finish(await resumeRun(values.resume, options));
    }
    if (file === undefined) return fail("train", "CONFIG.yaml or --resume RUN", new Words("neither"));
    const config = readConfigFile(file, settings, { task: values.task, model: values.model, say });
    const folder = values.out ?? join("runs", basename(file).replace(/\.ya?ml$/, ""));
    const report = reporting(folder, config.train.steps, { json, print, say, signal });
    const options = {
      ...report.options,
      overwrite: values.overwrite,
      log: values.log,
      unchecked: values.unchecked,
      allowFallback: values["allow-fallback"],
      source: file,
    };
    return report.finish(await trainRun(folder, config, options));
  },
});

/** Flags that only a new run has. */
const newRunFlags = ["task", "model", "out", "unchecked", "overwrite"] as const;
