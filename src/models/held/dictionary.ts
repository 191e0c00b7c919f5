/**
 * @file Groups in a recurrence whose matrix each token chooses out of a dictionary (SD-SSM), set by hand: a matrix for each word.
 *
 *     group words    <s> writes the point v = (-2, -1, 0, 1, 2);   the word g permutes the places:  h = v in the order of the product so far
 *     parity         0: h = h;   1: h = 1 - h
 *
 * A word is chosen by a code of its own, the point in its order: of all codes it is nearest to itself, by so much that its share is 1 in
 * float32. The same numbers are the logits: h is nearest to the element that it is in the order of. Columns of the width: [constant, code, what is read].
 */

import { groupNamed } from "../../math/groups.ts";
import type { Rows } from "../naive.ts";
import { type Held, normFactor, sparse } from "./held.ts";

/** The row's own settings. */
export const DICTIONARY_CONFIG = { stateSize: 16, dictionary: 128 };

/** What a share's logit is multiplied by: codes are nearer to themselves by a tenth at least. */
const CERTAIN = 2000;

interface Word {
  /** Of length 1. */
  readonly code: readonly number[];
  /** What it does to the places that are used; the others stay. */
  readonly matrix: Rows;
}

interface Chosen {
  readonly words: readonly Word[];
  /** By the coordinates of the code what is written to the places. */
  readonly writes: Rows;
  /** By word its logit from the places, and from the constant. */
  readonly logits: readonly { readonly places: readonly number[]; readonly constant?: number }[];
}

function weightsOf(d: number, { words, writes, logits }: Chosen): Record<string, Rows> {
  const { stateSize: size, dictionary: count } = DICTIONARY_CONFIG;
  const factor = normFactor(Math.SQRT2, d);
  const [constant, code] = [0, 1];
  const read = code + words[0].code.length;
  const [embedding, selector, input] = [sparse(words.length, d), sparse(d, count), sparse(d, size)];
  const dictionary = sparse(count * size, size);
  const selectorBias = new Array<number>(count).fill(-2 * CERTAIN);
  for (const [w, word] of words.entries()) {
    selectorBias[w] = 0;
    embedding.at(w, constant, 1);
    for (const [i, each] of word.code.entries()) {
      embedding.at(w, code + i, each);
      selector.at(code + i, w, (CERTAIN * each) / factor);
    }
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++)
        dictionary.at(w * size + i, j, word.matrix[i]?.[j] ?? Number(i === j && i >= word.matrix.length));
  }
  for (let k = words.length; k < count; k++) for (let i = 0; i < size; i++) dictionary.at(k * size + i, i, 1); // never chosen
  for (const [i, row] of writes.entries())
    for (const [place, each] of row.entries()) input.at(code + i, place, each / factor);
  const [out, head] = [sparse(size, d), sparse(d, words.length)];
  for (const [w, { places, constant: alone = 0 }] of logits.entries()) {
    head.at(constant, w, alone);
    for (const [place, each] of places.entries()) {
      out.at(place, read + place, 1);
      head.at(read + place, w, each);
    }
  }
  const mixer = {
    ...{ selector: selector.weight, selectorBias: [selectorBias], dictionary: dictionary.weight },
    ...{ input: input.weight, out: out.weight },
  };
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
}

/** Group words of that group, S_n, A_n or Z_n. */
export function heldInDictionary(name: string): Held["set"] {
  const { order, elements } = groupNamed(name)!; // the callers name what is there
  const [, kind, size] = /^([SAZ])_(\d+)$/.exec(name)!;
  const places = Array.from({ length: Number(size) }, (_, i) => i);
  const center = (places.length - 1) / 2;
  const length = Math.hypot(...places.map((place) => place - center));
  const point = places.map((place) => (place - center) / length);
  /** Which place comes to each place. */
  const moved = Array.from({ length: order }, (_, g) =>
    kind === "Z"
      ? places.map((place) => (place + g) % places.length)
      : Array.from(elements[g], (from) => Number(from) - 1),
  );
  const points = moved.map((own) => own.map((from) => point[from]));
  return (d) =>
    weightsOf(d, {
      words: [
        { code: [...places.map(() => 0), 1], matrix: permutation(places) },
        ...moved.map((own, g) => ({ code: [...points[g], 0], matrix: permutation(own) })),
      ],
      writes: [...places.map(() => []), point],
      logits: [{ places: [] }, ...points.map((own) => ({ places: own }))],
    });
}

/** Parity of bits, without a first word. */
export const heldParityInDictionary: Held["set"] = (d) =>
  weightsOf(d, {
    words: [
      { code: [1, 0], matrix: [[1]] },
      { code: [0, 1], matrix: [[-1]] },
    ],
    writes: [[], [1]],
    logits: [{ places: [], constant: 1 }, { places: [1] }],
  });

const permutation = (moved: readonly number[]): Rows =>
  moved.map((from) => moved.map((_, j) => Number(j === from)));
