/**
 * @file A curriculum that stalled: which of its stages a run never came to, so that whoever reads a number of it knows.
 *
 *     trained in 2 of 4 stages of its curriculum; never on spacing 4, nor spacing 12
 */

import { z } from "zod";
import type { RunConfig } from "./run-config.ts";
import { testName } from "./test-result.ts";

export const Stalled = z.strictObject({
  /** The last stage that was trained, from 1. */
  reached: z.int(),
  of: z.int(),
  /** The hardest change of each stage that never was, in their order. */
  never: z.array(z.string()),
});
export type Stalled = z.infer<typeof Stalled>;

/** Of a run whose last step was in `stage` (from 0); undefined where that is the last stage. */
export function stalledAt(
  { curriculum: { stages } }: Pick<RunConfig, "curriculum">,
  stage: number,
): Stalled | undefined {
  if (stage >= stages.length - 1) return undefined;
  const never = stages.slice(stage + 1).map((changes) => testName(changes.at(-1)!)); // a stage has one at least
  return { reached: stage + 1, of: stages.length, never };
}

/** What is said beside every number of such a run. */
export function stalledWords({ reached, of, never }: Stalled): string {
  return `trained in ${reached} of ${of} stages of its curriculum; never on ${never.join(", nor ")}`;
}
