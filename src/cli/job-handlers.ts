/** @file How each kind of work is carried out that an engine may hand to this program. */

import { ownCarriers } from "../app/executor/job-handlers.ts";
import type { Carriers } from "../executors/execute-task.ts";

export const carriers: Carriers = {
  ...ownCarriers,
  ask: async () => (await import("./ask-share.ts")).ask,
  part: async () => (await import("../../experiments/runner/part.ts")).part,
};
