/**
 * @file A block as named arrays, and back to the same bits.
 *
 *     words [sum of counts]  counts [B]       example b has counts[b] words; marks, stateEnds and states likewise
 *     at [M]                 index into [K, B, T] of what is said or weighs anything; all else is 0
 *     targets, weights [M]
 */

import type { BlockHeader } from "../../schemas/async-data.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { BlockContent } from "./batch.ts";

type Tensors = Readonly<Record<string, StoredTensor>>;

export interface EncodedBlock extends Pick<BlockHeader, "weighed"> {
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
  const numbers = (name: string) => tensors[name].data as Int32Array; // as `encodeBlock` writes it; its checksum was right
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
  const [said, shares] = [numbers("targets"), tensors.weights.data as Float32Array]; // as `encodeBlock` writes it
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
