/** @file statelab zoo: the experiment `zoo`, with an architecture of the user's own as one more row. */

import { basename } from "node:path";
import { defineCommand, parseCommandLine } from "./lib/command.ts";
import { engineOptions } from "./lib/executor.ts";
import { flag } from "./lib/flags.ts";
import { command as reproduce } from "./reproduce.ts";

const { scale, seeds, seed, workers, device, out } = reproduce.options;

export const command = defineCommand({
  name: "zoo",
  summary: "train architectures, your own too, on tasks that tell them apart",
  usage: "zoo [MODEL.ts] [--only NAMES] [--tasks NAMES] [--seeds N]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    only: flag.text("NAMES", "these architectures: deltanet,gru [with MODEL.ts that one, else all]"),
    tasks: flag.text("NAMES", "these tasks: parity,s3-swaps [all]"),
    except: flag.text("FILE", "pass over the cells of this file: evidence/zoo/laptop-cells.json"),
    ...{ scale, seeds, seed, workers, device, out },
    ...engineOptions,
  },
  examples: [
    "zoo ./mine.ts --seeds 5",
    "zoo ./mine.ts --only mine,deltanet --tasks parity,s3-swaps",
    "zoo --only gru",
  ],
  notes:
    "The same as statelab reproduce zoo --model MODEL.ts. Writes DIR/zoo/{report.html, result.json, figures/}. More: docs/results/zoo.md",

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
