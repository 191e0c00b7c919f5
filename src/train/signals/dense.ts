/** @file The signal that tells the true state after each line: a linear head on it, beside what `train.loss` asks of words. */

import { z } from "zod";
import { defineSignal } from "./signal.ts";

export const dense = defineSignal({
  name: "dense",
  source: "docs/state-supervision.md",
  params: z.strictObject({}),
  supervises: true,
});
