/** @file The files of a folder of episodes. */

import { join } from "node:path";

/** `ledger.jsonl` is everything; `results.json` and the page follow from it. What a model has answered is in `answers.jsonl`. */
export const agentFiles = (folder: string) => ({
  config: join(folder, "config.json"),
  ledger: join(folder, "ledger.jsonl"),
  answers: join(folder, "answers.jsonl"),
  results: join(folder, "results.json"),
  report: join(folder, "report.html"),
  ownPolicy: join(folder, "own", "policy.mjs"),
});
