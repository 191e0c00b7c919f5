/**
 * @file Bounds on how far ahead of a training its examples may be made.
 *
 *     n <= taken + K           at most K blocks are unread: ready, or being made
 *     n - 1 - v <= N           made with the weights v, block n is at most N steps stale when it is used
 *
 *     K = 2, N = 1, step 7 is running (taken 7), the weights of step 6 exist:   blocks 8 and, after step 7, 9
 *
 * No block is made in vain: a maker waits instead of making one that would be too stale. The second bound applies only to examples
 * that depend on the weights; then at most N + 1 blocks are ahead, whatever K is.
 */

import type { AsyncDataConfig } from "../../schemas/run-config.ts";
import type { ChosenSignal } from "../objectives/objective.ts";

interface Progress {
  /** The last block that the training has read; 0 if none. */
  readonly taken: number;
  /** The step of the newest weights. */
  readonly weights: number;
}

/** The last block that may be made at this point. */
export function lastBlock(
  { taken, weights }: Progress,
  { prefetch: ahead, maxStaleness: staleness }: AsyncDataConfig,
  { steps, asksModel }: { readonly steps: number; readonly asksModel: boolean },
): number {
  const byWeights = asksModel ? weights + 1 + staleness : Number.POSITIVE_INFINITY;
  return Math.min(steps, taken + ahead, byWeights);
}

/** Age in steps of the weights of a block when it is used. */
export const batchStaleness = (block: number, weights: number): number => block - 1 - weights;

/** Whether targets depend on the predictions of the model. */
export const needsModel = (chosen: ChosenSignal | undefined): boolean => chosen?.weighing !== undefined;
