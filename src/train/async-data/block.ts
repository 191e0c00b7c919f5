/**
 * @file A block: the examples of one step, made ahead of it, with their targets and weights if these depend on the model.
 *
 *     block 12     examples 12 B - B .. 12 B - 1 of the run, as the words and states that the task wrote
 *                  made with the weights after step 10: used at step 12, its staleness is 12 - 1 - 10 = 1
 *
 * Block n is for step n, regardless of its maker, so each sample is used once, and a repeated step reads the same block.
 * Encoded as named arrays, from which the same bits are decoded:
 *
 *     words [sum of counts]  counts [B]       example b has counts[b] words; marks, stateEnds and states likewise
 *     at [M]                 index into [K, B, T] of non-zero targets or weights
 *     targets, weights [M]
 */

import { fail } from "../../core/error.ts";
import type { BlockHeader } from "../../schemas/async-data.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { WrittenExample } from "../../tasks/batch/rows.ts";
import type { ExampleReader } from "../../tasks/batch.ts";
import type { Weighed } from "../objectives/objective.ts";

export interface BlockContent {
  /** One for each example of the batch. */
  readonly examples: readonly WrittenExample[];
  readonly weighed?: Weighed | undefined;
}

/** The source of examples of a training that does not make them itself. */
export interface BlockSource {
  /** Waits for the block of a step; undefined on an abort. `records` go into the log. */
  take(
    step: number,
  ): Promise<
    { readonly content: BlockContent; readonly records: Readonly<Record<string, number>> } | undefined
  >;
  /** Called after a step with its weights. Resolves when data workers can read them. */
  done(step: number, weights: Readonly<Record<string, Float32Array<ArrayBuffer>>>): Promise<void>;
}

/** A reader that copies each example written into a batch. */
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

/** Replaces the random stream of examples from a block, which readers cannot use. */
const none = (): never =>
  fail("data.async", "objectives without random draws", "one that does", "Train without data.async");
export const noMoreDraws = { next: none, below: none, normal: none, fork: none };

type Tensors = Readonly<Record<string, StoredTensor>>;

interface EncodedBlock extends Pick<BlockHeader, "weighed"> {
  readonly tensors: Tensors;
}

export function encodeBlock({ examples, weighed }: BlockContent): EncodedBlock {
  const tensors = {
    ...listed(
      "words",
      examples.map(({ words }) => words),
    ),
    ...listed(
      "marks",
      examples.map(({ marks }) => marks),
    ),
    ...listed(
      "stateEnds",
      examples.map(({ stateEnds }) => stateEnds),
    ),
    ...listed(
      "states",
      examples.map(({ states }) => states),
    ),
  };
  if (weighed === undefined) return { tensors };
  const { targets, weights, records } = weighed;
  const positions = targets[0].length;
  const at: number[] = [];
  for (const [k, layer] of targets.entries())
    for (const [i, target] of layer.entries())
      if (target !== 0 || !Object.is(weights[k][i], 0)) at.push(k * positions + i);
  const of = (layers: readonly ArrayLike<number>[]) =>
    at.map((place) => layers[Math.floor(place / positions)][place % positions]);
  return {
    weighed: { layers: targets.length, positions, ...(records !== undefined && { records }) },
    tensors: {
      ...tensors,
      at: integers(at),
      targets: integers(of(targets)),
      weights: { dtype: "F32", shape: [at.length], data: Float32Array.from(of(weights)) },
    },
  };
}

export function decodeBlock({ tensors, weighed }: EncodedBlock): BlockContent {
  const numbers = (name: string) => tensors[name].data as Int32Array; // written by `encodeBlock`, verified by checksum
  const lists = (name: string) => {
    let end = 0;
    return Array.from(numbers(`${name}.counts`), (count) => {
      end += count;
      return numbers(name).slice(end - count, end);
    });
  };
  const [words, marks, stateEnds, states] = ["words", "marks", "stateEnds", "states"].map(lists);
  const examples = words.map((own, b) => ({
    ...{ words: own, marks: marks[b], stateEnds: [...stateEnds[b]], states: [...states[b]] },
  }));
  if (weighed === undefined) return { examples };
  const { layers, positions, records } = weighed;
  const made = {
    targets: Array.from({ length: layers }, () => new Int32Array(positions)),
    weights: Array.from({ length: layers }, () => new Float32Array(positions)),
  };
  const [said, shares] = [numbers("targets"), tensors.weights.data as Float32Array]; // written by `encodeBlock`
  for (const [i, place] of numbers("at").entries()) {
    const [k, position] = [Math.floor(place / positions), place % positions];
    made.targets[k][position] = said[i];
    made.weights[k][position] = shares[i];
  }
  return { examples, weighed: { ...made, ...(records !== undefined && { records }) } };
}

function listed(name: string, lists: readonly ArrayLike<number>[]): Record<string, StoredTensor> {
  return {
    [name]: integers(lists.flatMap((list) => Array.from(list))),
    [`${name}.counts`]: integers(lists.map(({ length }) => length)),
  };
}

const integers = (numbers: readonly number[]): StoredTensor => ({
  dtype: "I32",
  shape: [numbers.length],
  data: Int32Array.from(numbers),
});
