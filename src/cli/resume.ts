/** @file statelab resume: go on with a training that was interrupted. */

import { configOf, trainOn } from "../work/run/train.ts";
import { defineCommand } from "./command.ts";
import { reporting } from "./train-report.ts";

export const command = defineCommand({
  name: "resume",
  summary: "go on with an interrupted training",
  usage: "resume RUN",
  positionals: { least: 1, most: 1 },
  options: {},
  examples: ["resume runs/deltanet"],
  notes: "The result is the same, bit for bit, as if it had never stopped.",

  async run({ positionals: [folder], json, print, say, signal }) {
    const { train } = await configOf(folder);
    const report = reporting(folder, train.steps, { json, print, say, signal });
    return report.finish(await trainOn(folder, report.options));
  },
});
