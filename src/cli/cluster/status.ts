/** @file statelab cluster status: what was submitted to executors, and how far it is. */

import { LabError } from "../../core/error.ts";
import type { Submission } from "../../executors/executor.ts";
import { listSubmissions } from "../../executors/manifest.ts";
import { listRegistered } from "../../executors/submission-store.ts";
import { isCollected, type SubmissionState, stateOfSubmission } from "../../executors/supervise.ts";
import { textTable } from "../../report/text-table.ts";
import { defineCommand } from "../lib/command.ts";
import { engineOf, submissionsIn } from "../lib/executor.ts";
import { flag } from "../lib/flags.ts";

export const command = defineCommand({
  name: "cluster status",
  summary: "show submitted work and its progress",
  usage: "cluster status [DIR] [--all]",
  positionals: { least: 0, most: 1 },
  options: {
    all: flag.toggle("include finished submissions"),
  },
  examples: ["cluster status", "cluster status runs/beta"],
  notes:
    "DIR is the --out of a command with --executor [all submissions of this account]. To resubmit lost tasks, run the same command again.\n" +
    "More: docs/how-to/cluster.md",

  async run({ positionals: [folder], values, json, print, say }) {
    const states: { state: SubmissionState; collected: boolean }[] = [];
    const read = async (submissions: readonly Submission[]) => {
      for (const submission of submissions) {
        const state = await stateOfSubmission(submission.folder, await engineOf(submission.header.engine));
        states.push({ state, collected: isCollected(submission) });
      }
    };
    let code = 0;
    if (folder !== undefined) await read(submissionsIn(folder));
    else
      for (const home of listRegistered()) {
        try {
          await read(listSubmissions(home));
        } catch (error) {
          if (!(error instanceof LabError)) throw error;
          say(`statelab: ${error.message}`); // the other folders are shown
          code = 1;
        }
      }
    const isOpen = ({ running, pending, left }: SubmissionState, collected: boolean) =>
      running + pending > 0 || (left > 0 && !collected);
    const shown = states
      .filter(({ state, collected }) => values.all || folder !== undefined || isOpen(state, collected))
      .map(({ state }) => state);
    if (json) {
      print(JSON.stringify({ submissions: shown }));
      return code;
    }
    if (shown.length === 0) {
      print("no unfinished submissions");
      return code;
    }
    const counts = ["done", "running", "pending", "left", "failed"] as const;
    print(
      textTable({
        columns: [
          "submission",
          "executor",
          "submitted",
          "runs",
          "done",
          "running",
          "waiting",
          "lost",
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
    return code;
  },
});
