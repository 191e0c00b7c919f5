/**
 * @file The delta rule with hand-set weights: every word is a few mirrors of a small space, and the product of all words is decoded.
 *
 *     S <- (I - 2 k k') S + 2 k v'   with v = a k:   S_t = a (I - M_t),  M_t the product of all mirrors so far
 *     o = S' q = a (q - M_t' q)      one point for each element, where only the identity fixes q
 *
 * So no first word is needed. If there is one, <s>, it writes a constant orthogonal to all mirrors: o is normalized, and the constant
 * keeps its length. Without one (parity) the state is 0 or 2 a, and is compared with a constant of the word itself.
 *
 * q, k and v pass SiLU, whose range starts at -0.278: all are small enough to invert it. Every b is 2: words with fewer mirrors have
 * the others in an unused direction. Columns of the width: [constant, k of each mirror, rest of the norm, output].
 */

import type { Rows } from "../naive.ts";
import { type Construction, normFactor, siluInverse, sparse } from "./construction.ts";
import { groupReflections } from "./group-reflections.ts";

interface DeltaShape {
  readonly heads: number;
  /** n: mirrors per token. */
  readonly mirrors: number;
}

type Extra = (d: number, constant: number) => Readonly<Record<string, Rows>>;

/** So that sigmoid is 1 in float32: b is 2. */
const CERTAIN = 40;
const CONSTANT = 0;

/** Group words of that group. */
export function constructWords(
  group: string,
  shape: DeltaShape,
  extra: Extra = () => ({}),
): Construction["set"] {
  return (d) => {
    const { size, mirrors, point, images } = groupReflections(group);
    const [untouched, first] = [size, size + 1]; // directions of the keys besides the space
    const scale = 0.25;
    const word = (own: readonly (readonly number[])[]) =>
      Array.from({ length: shape.mirrors }, (_, step) => {
        const key = own[step] ?? [];
        return Array.from({ length: size + 2 }, (_, i) =>
          siluInverse(scale * (key[i] ?? (i === untouched && own[step] === undefined ? 1 : 0))),
        );
      });
    const start = word([]);
    start[0] = Array.from({ length: size + 2 }, (_, i) => siluInverse(i === first ? scale : 0));
    const readAt = size; // the value column for the constant
    const query = Array.from({ length: size + 2 }, (_, i) =>
      siluInverse(scale * (i < size ? point[i] : i === first ? 0.5 : 0)),
    );
    const codes = images.map((image) => {
      const read = [...point.map((each, i) => each - image[i]), 1]; // a (q - M' q), and 2 a / 2
      return read.map((each) => each / Math.hypot(...read));
    });
    return weightsOf(d, shape, {
      words: [start, ...mirrors.map(word)],
      query,
      values: (i) => (i < size ? i : i === first ? readAt : undefined),
      reads: size + 1,
      // An element's logit is the similarity of the output and its point.
      head: (head, readColumn) => {
        for (const [g, code] of codes.entries())
          for (const [i, each] of code.entries()) head.at(readColumn + i, 1 + g, each);
      },
      vocabulary: 1 + codes.length,
      extra,
    });
  };
}

/** Parity of bits, without a first word. */
export function constructParity(shape: DeltaShape, extra: Extra = () => ({})): Construction["set"] {
  return (d) => {
    const large = 10; // positive keys may be of any size, and are of length 1 after the norm; values are as large, and so are rounding errors
    const [still, flipped] = [
      [0, large],
      [large, 0],
    ];
    const others = new Array<number[]>(shape.mirrors - 1).fill(still);
    return weightsOf(d, shape, {
      words: [
        [still, ...others],
        [flipped, ...others],
      ],
      query: [large, 0],
      values: (i) => (i === 0 ? 0 : undefined),
      reads: 1,
      head: (head, readColumn) => {
        head.at(CONSTANT, 0, large / 50); // the state, normalised, is 0 or sqrt(dv) = 4; the constant of a word is 1
        head.at(readColumn, 1, 1);
      },
      vocabulary: 2,
      extra,
    });
  };
}

interface Parts {
  /** By word, for each mirror, the preimage of its key under SiLU. */
  readonly words: readonly (readonly (readonly number[])[])[];
  /** The same for the query of all words. */
  readonly query: readonly number[];
  /** The value columns that also get key component i. */
  readonly values: (i: number) => number | undefined;
  /** Number of output values. */
  readonly reads: number;
  readonly head: (head: ReturnType<typeof sparse>, readColumn: number) => void;
  readonly vocabulary: number;
  readonly extra: Extra;
}

function weightsOf(d: number, { heads, mirrors: n }: DeltaShape, parts: Parts): Record<string, Rows> {
  const { words, query, values, reads, head: fill, vocabulary, extra } = parts;
  const keySize = query.length;
  const [{ length: columns }] = words[0];
  const at = (step: number, i: number) => 1 + step * columns + i;
  const restAt = at(n, 0);
  const readColumn = restAt + 1;
  if (readColumn + reads > d) throw new Error(`width ${d} is less than ${readColumn + reads}`);
  const squares = words.map((word) => 1 + word.flat().reduce((sum, each) => sum + each ** 2, 0));
  const longest = Math.max(...squares);
  const embedding = sparse(vocabulary, d);
  for (const [w, word] of words.entries()) {
    embedding.at(w, CONSTANT, 1);
    for (const [step, key] of word.entries())
      for (const [i, each] of key.entries()) embedding.at(w, at(step, i), each);
    embedding.at(w, restAt, Math.sqrt(longest - squares[w])); // all words are of one length
  }
  const back = 1 / normFactor(Math.sqrt(longest), d);
  const dk = d / heads;
  const qkv = sparse(d, (1 + 2 * n) * d);
  for (const [i, each] of query.entries()) qkv.at(CONSTANT, i, each * back);
  for (let step = 0; step < n; step++)
    for (let i = 0; i < keySize; i++) {
      // Only the first head; keys of all steps precede the values of all steps.
      qkv.at(at(step, i), (1 + step) * d + i, back);
      const value = values(i);
      if (value !== undefined) qkv.at(at(step, i), (1 + n + step) * d + value, back);
    }
  if (keySize > dk) throw new Error(`heads of ${dk} are less than ${keySize}`);
  const beta = sparse(d, n * heads);
  for (let j = 0; j < n * heads; j++) beta.at(CONSTANT, j, CERTAIN * back);
  const out = sparse(d, d);
  for (let i = 0; i < reads; i++) out.at(i, readColumn + i, 1);
  const head = sparse(d, vocabulary);
  fill(head, readColumn);
  const mixer = { qkv: qkv.weight, beta: beta.weight, out: out.weight, ...extra(d, back) };
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
}

/** Additional weights of `gated-deltanet`: no decay and an open gate. */
export const openGates: Extra = (d, back) => {
  const gate = sparse(d, d);
  for (let i = 0; i < d; i++) gate.at(CONSTANT, i, 10 * back); // silu(10) = 10
  return { gate: gate.weight, "decay.logRate": [[-60, -60]] };
};

/** The same for `kda`, with a low-rank sigmoid gate. */
export const openLowRankGates =
  (heads: number): Extra =>
  (d, back) => {
    const [down, up] = [sparse(d, d / heads), sparse(d / heads, d)];
    down.at(CONSTANT, 0, CERTAIN * back);
    for (let i = 0; i < d; i++) up.at(0, i, 1);
    return {
      "gate.down": down.weight,
      "gate.up": up.weight,
      "decay.logRate": [new Array<number>(heads).fill(-60)],
    };
  };
