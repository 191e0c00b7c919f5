/** @file The parameters of the task `repl`. */

import { z } from "zod";

const Spacing = z.int().min(1);

export const ReplParams = z.strictObject({
  /** n: 2 to 8 variables, a to h. */
  variables: z.int().min(2).max(8).default(3),
  commandKind: z.enum(["swap", "permutation"]).default("swap"),
  commands: z.int().min(1).max(1_000_000).default(12),
  /** Commands per reveal; of a list one is drawn for each example, all equally likely. */
  spacing: z.union([Spacing, z.array(Spacing).min(1)]).default(4),
  reveal: z.enum(["partial", "full"]).default("partial"),
  /** Also reveal directly after the initial values, before the first command. */
  revealInitial: z.boolean().default(false),
  /** Values are independent digits 0 to 9 instead of a random order of 1..n. */
  repeatedValues: z.boolean().default(false),
  promptStyle: z.enum(["repl", "script"]).default("repl"),
});
export type ReplParams = z.infer<typeof ReplParams>;
