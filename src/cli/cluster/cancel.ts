/** @file statelab cluster cancel: cancels the submitted work of a folder. */

import { collect } from "../../executors/supervise.ts";
import { defineCommand } from "../lib/command.ts";
import { engineOf, submissionsIn } from "../lib/executor.ts";

export const command = defineCommand({
  name: "cluster cancel",
  summary: "cancel submitted work; results so far are kept",
  usage: "cluster cancel DIR",
  positionals: { least: 1, most: 1 },
  options: {},
  examples: ["cluster cancel runs/beta"],
  notes:
    "DIR is the --out of a command with --executor. Run that command again to continue.\n" +
    "More: docs/how-to/cluster.md",

  async run({ positionals: [folder], json, print, say }) {
    const submissions = submissionsIn(folder);
    for (const submission of submissions) {
      const engine = await engineOf(submission.header.engine);
      await engine.cancel(submission);
      await collect(submission);
    }
    say(
      `statelab: cancelled ${folder}; tasks save and stop. Run the command that submitted them to continue`,
    );
    if (json) print(JSON.stringify({ cancelled: submissions.map(({ folder: path }) => path) }));
  },
});
