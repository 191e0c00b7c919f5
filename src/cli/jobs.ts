/** @file statelab jobs: what was submitted to engines, and how far it is. */

import { fail } from "../core/error.ts";
import { listSubmissions } from "../executors/manifest.ts";
import { listRegistered } from "../executors/submission-store.ts";
import { collect, stateOfSubmission } from "../executors/supervise.ts";
import { textTable } from "../report/text-table.ts";
import { defineCommand } from "./lib/command.ts";
import { engineOf } from "./lib/executor.ts";
import { flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "jobs",
  summary: "say what was submitted to engines, and how far it is",
  usage: "jobs [DIR] [--all] [--cancel]",
  positionals: { least: 0, most: 1 },
  options: {
    all: flag.toggle("also those of which nothing is left to do"),
    cancel: flag.toggle("end what is under way in DIR; everything is saved"),
  },
  examples: ["jobs", "jobs runs/beta", "jobs runs/beta --cancel"],
  notes:
    "DIR is what was --out of sweep --on; without it, wherever you have submitted something from this account. A run that is\n" +
    "left is submitted again by the command that submitted it.",

  async run({ positionals: [folder], values, json, print, say }) {
    if (values.cancel && folder === undefined)
      fail("jobs --cancel", "a folder", "none", "Name the one to end");
    const homes = folder === undefined ? listRegistered() : [folder];
    const submissions = homes.flatMap(listSubmissions);
    if (folder !== undefined && submissions.length === 0)
      fail(folder, "a folder with submissions", "none", "sweep --on ENGINE --out DIR makes them");
    if (values.cancel) {
      for (const submission of submissions) {
        await (await engineOf(submission.header.engine)).cancel(submission);
        await collect(submission);
      }
      say(`statelab: asked to save and end: ${folder}. The command that submitted it goes on with it`);
      if (json) print(JSON.stringify({ cancelled: submissions.map(({ folder: path }) => path) }));
      return 0;
    }
    const states = [];
    for (const { folder: path, header } of submissions)
      states.push(await stateOfSubmission(path, await engineOf(header.engine)));
    const shown = states.filter(
      ({ tasks, done, failed }) => values.all || folder !== undefined || done + failed < tasks,
    );
    if (json) {
      print(JSON.stringify({ submissions: shown }));
      return 0;
    }
    if (shown.length === 0) {
      print("nothing is under way");
      return 0;
    }
    const counts = ["done", "running", "pending", "left", "failed"] as const;
    print(
      textTable({
        columns: [
          "submission",
          "engine",
          "submitted",
          "runs",
          "done",
          "running",
          "waiting",
          "left",
          "failed",
        ],
        rows: shown.map((state) => [
          state.folder,
          state.engine,
          state.created.slice(0, 16),
          state.tasks,
          ...counts.map((count) => state[count]),
        ]),
      }),
    );
    for (const { folder: path, words } of shown.flatMap(({ failures }) => failures).slice(0, 20))
      say(`statelab: ${path} failed: ${words}`);
    return 0;
  },
});
