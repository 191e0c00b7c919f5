/**
 * @file A block: the examples of one step, made ahead of it, and what they are taught by where that is made of what a model says.
 *
 *     block 12     examples 12 B - B .. 12 B - 1 of the run, as the words and states that the task wrote
 *                  made with the weights after step 10: used at step 12, it is of staleness 12 - 1 - 10 = 1
 *
 * Block n is for step n, whoever makes it: so each sample is used once, and a step that is done again reads what it read before.
 */

import { fail } from "../../core/error.ts";
import type { WrittenExample } from "../../tasks/batch/rows.ts";
import type { ExampleReader } from "../../tasks/batch.ts";
import type { Weighed } from "../objectives/objective.ts";

export interface BlockContent {
  /** One for each row of the batch. */
  readonly examples: readonly WrittenExample[];
  readonly weighed?: Weighed | undefined;
}

/** Where a training has its examples from, where it does not make them. */
export interface BlockSource {
  /** The block of a step, waited for; undefined where the training is to stop instead. What is recorded of it has names. */
  take(
    step: number,
  ): Promise<
    { readonly content: BlockContent; readonly records: Readonly<Record<string, number>> } | undefined
  >;
  /** After a step: these are its weights. Resolves when whoever makes blocks may have them. */
  done(step: number, weights: Readonly<Record<string, Float32Array<ArrayBuffer>>>): Promise<void>;
}

/** Copies each example as it is written into a batch. */
export function recorder(): { readonly read: ExampleReader; readonly examples: WrittenExample[] } {
  const examples: WrittenExample[] = [];
  return {
    examples,
    read(row, { words, marks, count, stateEnds, states }) {
      examples[row] = {
        words: words.slice(0, count),
        marks: marks.slice(0, count),
        stateEnds: [...stateEnds],
        states: [...states],
      };
    },
  };
}

/** For readers of examples that are read from a block: the stream of numbers that made them is not there any more. */
const none = (): never =>
  fail(
    "teach.stream",
    "objectives that draw nothing beside the examples",
    "one that does",
    "Train without teach.stream",
  );
export const noMoreDraws = { next: none, below: none, normal: none, fork: none };
