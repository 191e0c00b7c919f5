/** @file statelab zoo: the experiment `zoo`, with an architecture of the user's own as one more row. */

import { basename } from "node:path";
import { defineCommand, parseCommandLine } from "./lib/command.ts";
import { engineOptions } from "./lib/executor.ts";
import { flag, group } from "./lib/flags.ts";
import { command as reproduce } from "./reproduce.ts";

const { scale, seeds, seed, workers, device, out } = reproduce.options;

export const command = defineCommand({
  name: "zoo",
  summary: "compare your own architecture with the built-in ones",
  usage: "zoo [MODEL.ts] [OPTIONS]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    ...group("What to train", {
      only: flag.text("NAMES", "architectures, e.g. deltanet,gru [yours; without MODEL.ts, all]"),
      tasks: flag.text("NAMES", "tasks, e.g. parity,s3-swaps-2-layers [all but words of 2 layers]"),
      except: flag.text("FILE", "skip the cells in this file, e.g. evidence/zoo/laptop-cells.json"),
    }),
    ...{ scale, seeds, seed, workers, device, out },
    ...engineOptions,
  },
  examples: [
    "zoo ./mine.ts --seeds 5",
    "zoo ./mine.ts --only mine,deltanet --tasks parity,s3-swaps",
    "zoo --only gru",
  ],
  notes:
    "The same as statelab reproduce zoo --model MODEL.ts. Writes DIR/zoo/{report.html, result.json, cells.json, figures/}; the studio shows its rows.\n" +
    "Exit code 1: a run failed.\n" +
    "More: docs/results/zoo.md",

  async run({ positionals: [model], values, ...invocation }) {
    const { values: usual } = parseCommandLine(reproduce, ["zoo"]);
    const only = values.only ?? (model === undefined ? undefined : basename(model).replace(/\.\w+$/, ""));
    return reproduce.run({
      ...invocation,
      positionals: ["zoo"],
      values: { ...usual, ...values, ...{ model, only } },
    });
  },
});
