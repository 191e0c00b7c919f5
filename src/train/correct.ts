/** @file Which of the answers that a batch asks for are right, from the hits at every position. */

import type { Batch } from "../tasks/batch.ts";

/** For each of an example's reveals 1 where every token of its value is hit, else 0. */
export function hitsOfExample(batch: Batch, hits: ArrayLike<number | bigint>, example: number): number[] {
  const right: number[] = [];
  for (let i = batch.revealStarts[example]; i < batch.revealStarts[example + 1]; i++) {
    let all = 1;
    for (let at = batch.revealPositions[i]; at < batch.revealEnds[i]; at++) all *= Number(hits[at]);
    right.push(all);
  }
  return right;
}
