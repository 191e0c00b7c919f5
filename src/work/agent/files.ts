/** @file The files of a folder of episodes. */

import { join } from "node:path";

/** `ledger.jsonl` is everything; `results.json` follows from it. */
export const agentFiles = (folder: string) => ({
  config: join(folder, "config.json"),
  ledger: join(folder, "ledger.jsonl"),
  results: join(folder, "results.json"),
  lock: join(folder, "lock"),
});
