/**
 * @file How far ahead of a training its examples may be made.
 *
 *     n <= taken + K           no more than K blocks are unread: there, or in the making
 *     n - 1 - v <= N           made with the weights v, block n is at most N steps stale when it is used
 *
 *     K = 2, N = 1, step 7 is at work (taken 7), the weights of step 6 are there:   blocks 8 and, when step 7 is done, 9
 *
 * So nothing is ever made in vain: what would be too stale is waited for, not dropped. The second bound is of examples that depend on
 * the weights alone; with it no more than N + 1 blocks can be ahead, whatever K is.
 */

import { fail } from "../../core/error.ts";
import type { RunConfig, StreamConfig } from "../../schemas/run-config.ts";
import type { ChosenSignal } from "../signals/index.ts";

export interface Progress {
  /** The last block that the training has read; 0 where it has read none. */
  readonly taken: number;
  /** The step whose weights are there. */
  readonly weights: number;
}

/** The last block that may be made now. */
export function lastBlock(
  { taken, weights }: Progress,
  { ahead, staleness }: StreamConfig,
  { steps, asksModel }: { readonly steps: number; readonly asksModel: boolean },
): number {
  const byWeights = asksModel ? weights + 1 + staleness : Number.POSITIVE_INFINITY;
  return Math.min(steps, taken + ahead, byWeights);
}

/** How many steps old the weights are by which a block was made, when it is used. */
export const stalenessOf = (block: number, weights: number): number => block - 1 - weights;

/** Whether examples are taught by what the model says, so that it matters when they are made. */
export const asksModel = (chosen: ChosenSignal | undefined): boolean => chosen?.signal.weighing !== undefined;

/** Errors: LabError where what is drawn in a step is not known ahead of it. */
export function checkStream(config: RunConfig, chosen: ChosenSignal | undefined): void {
  const { teach, curriculum, train } = config;
  if (teach?.stream === undefined) return;
  const beside = "beside teach.stream";
  if (curriculum.stages.length > 1)
    fail(
      "curriculum.stages",
      `one stage ${beside}`,
      curriculum.stages.length,
      "When a stage ends is known only when it does: train a run for each stage, by teach.from",
    );
  if (teach.mixture !== undefined)
    fail(
      "teach.mixture",
      `none ${beside}`,
      "one",
      "Its shares may follow from the training: mix by the variants of a stage",
    );
  if (train.padTo !== "stage") fail("train.padTo", `"stage" ${beside}`, train.padTo);
  if (train.pack !== undefined) fail("train.pack", `none ${beside}`, train.pack);
  if (chosen?.signal.keepsBeginning)
    fail("teach.signal", `one that asks the weights as they are ${beside}`, chosen.signal.name);
}
