/** @file statelab resume: go on with a training that was interrupted. */

import { withSettings, writtenConfig } from "../app/run/config.ts";
import { resumeRun } from "../app/run/resume.ts";
import { defineCommand } from "./lib/command.ts";
import { setOption } from "./lib/flags.ts";
import { reporting } from "./lib/training.ts";

export const command = defineCommand({
  name: "resume",
  summary: "go on with an interrupted training",
  usage: "resume RUN [--set KEY=VALUE ...]",
  opensRuns: true,
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    set: {
      ...setOption,
      description: "go on with another train.learningRate, train.clip or train.steps; it is recorded",
    },
  },
  examples: [
    "resume runs/deltanet",
    "resume runs/deltanet --set train.steps=2000",
    "resume runs/deltanet --set train.learningRate=0.001 --set train.clip=0.5",
  ],
  notes:
    "Without --set the result is the same, bit for bit, as if it had never stopped. A finished run goes on with more\n" +
    "train.steps. checkpointEvery, device and threads may be changed, too. What is changed stands in config.json.",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const { config } = withSettings(await writtenConfig(folder), values.set);
    const report = reporting(folder, config.train.steps, { json, print, say, signal });
    return report.finish(await resumeRun(folder, { ...report.options, settings: values.set }));
  },
});
