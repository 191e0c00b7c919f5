/** @file The parameters of the task `pfsa`. */

import { z } from "zod";
import { commandKinds } from "./commands.ts";

const Spacing = z.int().min(1);

export const PfsaParams = z.strictObject({
  /** n: 2 to 6, of which there are n! orders. */
  variables: z.int().min(2).max(6).default(3),
  /** Each command's kind is drawn from these. */
  commandKinds: z.array(z.enum(commandKinds)).min(1).default(["maybe"]),
  /** Of `maybe` and of the first line of `either`; up to three digits. */
  probability: z.number().min(0.001).max(0.999).multipleOf(0.001).default(0.5),
  commands: z.int().min(1).max(1_000_000).default(12),
  /** Commands per reveal; of a list one is drawn for each example, all equally likely. */
  spacing: z.union([Spacing, z.array(Spacing).min(1)]).default(4),
  /** Every so many reveals all variables are printed; 0 is never, 1 always. */
  fullEvery: z.int().min(0).default(0),
  start: z.enum(["shown", "hidden"]).default("shown"),
});
export type PfsaParams = z.infer<typeof PfsaParams>;
