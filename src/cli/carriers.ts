/** @file How each kind of work is carried out that an engine may hand to this program. */

import { ownCarriers } from "../work/engine/carriers.ts";
import type { Carriers } from "../work/engine/task.ts";

export const carriers: Carriers = {
  ...ownCarriers,
  ask: async () => (await import("./ask-share.ts")).ask,
  part: async () => (await import("../../experiments/runner/part.ts")).part,
};
