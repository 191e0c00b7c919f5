/** @file statelab bench: measure the lab against what a user would otherwise use (bench/index.ts lists what). */

import { benchmarks } from "../../bench/index.ts";
import { suggest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { defineCommand, twoColumns } from "./lib/command.ts";

export const command = defineCommand({
  name: "bench",
  summary: "measure the lab against what a user would otherwise use",
  usage: "bench [NAME] [--json]",
  positionals: { least: 0, most: 1 },
  options: {},
  examples: ["bench", "bench train-step", "bench start-up --json"],
  notes: "Without NAME, the benchmarks are listed.",

  async run({ positionals: [name], json, print, signal }) {
    if (name === undefined) {
      const list = Object.entries(benchmarks).map(([key, { summary }]) => [key, summary] as const);
      print(json ? JSON.stringify(Object.fromEntries(list), null, 2) : twoColumns(list));
      return;
    }
    if (!Object.hasOwn(benchmarks, name)) {
      fail("bench", "the name of a benchmark", name, suggest(name, Object.keys(benchmarks)));
    }
    const { run } = await benchmarks[name].load();
    await run({ json, signal });
  },
});
