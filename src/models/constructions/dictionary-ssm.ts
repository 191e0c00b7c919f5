/**
 * @file Groups in a recurrence that chooses its matrix per token from a dictionary (SD-SSM, PD-SSM), with hand-set weights: a matrix
 * per word.
 *
 *     group words    <s> writes the point v = (-2, -1, 0, 1, 2);   the word g permutes the places:  h = v in the order of the product so far
 *     parity         0: h = h;   1: h = 1 - h
 *
 * A word is selected by a code, the permuted point: every code is most similar to itself, by enough that its softmax weight is 1 in
 * float32. The same numbers are the logits: h is most similar to the element in its order. Columns of the width: [constant, code,
 * output].
 */

import { groupNamed } from "../../core/groups.ts";
import type { Rows } from "../naive.ts";
import { type Construction, normFactor, sparse } from "./construction.ts";

/** The mixer's settings. */
const DICTIONARY_CONFIG = { stateSize: 16, dictionary: 128 };

/** Factor of a softmax logit: each code is more similar to itself by at least a tenth. */
const CERTAIN = 2000;
/** sigmoid of it is 1 in float32, of its negative 0. */
const OPEN = 40;

interface Word {
  /** Of length 1. */
  readonly code: readonly number[];
  /** The destination of each used place; the others stay. */
  readonly goals: readonly number[];
}

export interface Chosen {
  readonly words: readonly Word[];
  /** The writes to the places, by the coordinates of the code. */
  readonly writes: Rows;
  /** The logit of each word, from the places and the constant. */
  readonly logits: readonly { readonly places: readonly number[]; readonly constant?: number }[];
  /** The code's coordinate for words that flip the sign of all places. */
  readonly turning?: number;
}

const [CONSTANT, CODE] = [0, 1];
const { stateSize: SIZE, dictionary: COUNT } = DICTIONARY_CONFIG;

type Parameters = Readonly<Record<string, Rows>>;
/** The mixer's parameters, for a width, the scale of the code before it, and the output columns of the places. */
type Kind = (d: number, chosen: Chosen, factor: number, read: number) => Parameters;

function weightsInDictionary(d: number, chosen: Chosen, kind: Kind): Record<string, Rows> {
  const { words, logits } = chosen;
  const read = CODE + words[0].code.length;
  const embedding = sparse(words.length, d);
  for (const [w, { code }] of words.entries()) {
    embedding.at(w, CONSTANT, 1);
    for (const [i, each] of code.entries()) embedding.at(w, CODE + i, each);
  }
  const head = sparse(d, words.length);
  for (const [w, { places, constant = 0 }] of logits.entries()) {
    head.at(CONSTANT, w, constant);
    for (const [place, each] of places.entries()) head.at(read + place, w, each);
  }
  const mixer = kind(d, chosen, normFactor(Math.SQRT2, d), read);
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
}

/** A word's softmax logit from its code, [d, K]; unused matrices are never chosen. */
function selector(d: number, { words }: Chosen, factor: number) {
  const weight = sparse(d, COUNT);
  for (const [w, { code }] of words.entries())
    for (const [i, each] of code.entries()) weight.at(CODE + i, w, (CERTAIN * each) / factor);
  return weight;
}

/** The destination of each place under each matrix: [k][from] -> to. */
const goals = ({ words }: Chosen): number[][] =>
  Array.from({ length: COUNT }, (_, k) =>
    Array.from({ length: SIZE }, (_, from) => words[k]?.goals[from] ?? from),
  );

function writing(d: number, { writes }: Chosen, factor: number, columns: number) {
  const input = sparse(d, columns);
  for (const [i, row] of writes.entries())
    for (const [place, each] of row.entries()) input.at(CODE + i, place, each / factor);
  return input.weight;
}

function reading(d: number, { logits }: Chosen, rows: number, read: number) {
  const out = sparse(rows, d);
  for (const { places } of logits) for (const place of places.keys()) out.at(place, read + place, 1);
  return out.weight;
}

export const dense: Kind = (d, chosen, factor, read) => {
  const { words, turning } = chosen;
  const dictionary = sparse(COUNT * SIZE, SIZE);
  for (const [k, own] of goals(chosen).entries()) {
    const sign = turning !== undefined && words[k]?.code[turning] === 1 ? -1 : 1;
    for (const [from, to] of own.entries()) dictionary.at(k * SIZE + to, from, sign);
  }
  return {
    selector: selector(d, chosen, factor).weight,
    selectorBias: [Array.from({ length: COUNT }, (_, k) => (k < words.length ? 0 : -2 * CERTAIN))],
    dictionary: dictionary.weight,
    input: writing(d, chosen, factor, SIZE),
    out: reading(d, chosen, SIZE, read),
  };
};

/** Words that flip the sign rotate all places by a half. */
export const sparseColumns: Kind = (d, chosen, factor, read) => {
  const { words, turning } = chosen;
  const own = selector(d, chosen, factor);
  for (let k = words.length; k < COUNT; k++) own.at(CONSTANT, k, (-2 * CERTAIN) / factor);
  const dictionary = sparse(COUNT * SIZE, SIZE);
  for (const [k, each] of goals(chosen).entries())
    for (const [from, to] of each.entries()) dictionary.at(k * SIZE + from, to, 1);
  const [up, down] = [sparse(d, 2 * SIZE), sparse(2 * SIZE, SIZE)];
  if (turning !== undefined) up.at(CODE + turning, 0, OPEN / factor);
  for (let place = 0; place < SIZE; place++) down.at(0, place, 1);
  const all = (value: number) => [new Array<number>(SIZE).fill(value)];
  return {
    ...{ selector: own.weight, dictionary: dictionary.weight },
    ...{ "size.downBias": all(OPEN), "phase.downBias": all(-OPEN) },
    ...{ "phase.up": up.weight, "phase.down": down.weight },
    input: writing(d, chosen, factor, 2 * SIZE),
    out: reading(d, chosen, 2 * SIZE, read),
  };
};

/** Group words of that group, S_n, A_n or Z_n. */
function chosenFor(name: string): Chosen {
  const { order, elements } = groupNamed(name)!; // the callers name what is there
  const [, kind, size] = /^([SAZ])_(\d+)$/.exec(name)!;
  const places = Array.from({ length: Number(size) }, (_, i) => i);
  const center = (places.length - 1) / 2;
  const length = Math.hypot(...places.map((place) => place - center));
  const point = places.map((place) => (place - center) / length);
  /** The source of each place. */
  const moved = Array.from({ length: order }, (_, g) =>
    kind === "Z"
      ? places.map((place) => (place + g) % places.length)
      : Array.from(elements[g], (from) => Number(from) - 1),
  );
  const points = moved.map((own) => own.map((from) => point[from]));
  return {
    words: [
      { code: [...places.map(() => 0), 1], goals: places },
      ...moved.map((own, g) => ({
        code: [...points[g], 0],
        goals: places.map((from) => own.indexOf(from)),
      })),
    ],
    writes: [...places.map(() => []), point],
    logits: [{ places: [] }, ...points.map((own) => ({ places: own }))],
  };
}

/** Of bits, without a first word. */
const parity: Chosen = {
  words: [
    { code: [1, 0], goals: [] },
    { code: [0, 1], goals: [] },
  ],
  writes: [[], [1]],
  logits: [{ places: [], constant: 1 }, { places: [2] }],
  turning: 1,
};

/** Parity, and the words of Z_3, S_3, A_5 and S_5, of S_3 and S_5 also swaps alone. */
export const constructDictionary = (kind: Kind): readonly Construction[] => [
  {
    task: { name: "parity" },
    config: DICTIONARY_CONFIG,
    set: (d) => weightsInDictionary(d, parity, kind),
  },
  ...[
    { group: "Z_3" },
    { group: "S_3" },
    { group: "S_3", generators: "swaps" },
    { group: "A_5" },
    { group: "S_5" },
    { group: "S_5", generators: "swaps" },
  ].map((own) => ({
    task: { name: "group-words", ...own },
    config: DICTIONARY_CONFIG,
    set: (d: number) => weightsInDictionary(d, chosenFor(own.group), kind),
  })),
];
