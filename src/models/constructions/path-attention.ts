/**
 * @file The orders of three things in attention with reflected keys (PaTH), with hand-set weights: swaps in one layer, all words in
 * two.
 *
 *     <s> has the only key, a point of the plane;   a swap is a mirror of the plane:   the key is the point, moved by the product so far
 *     head g queries the image of the point under g: its logit is C there, at most -C elsewhere, and that of every other key is 0
 *
 * So head g reads the value of <s>, which is 1, where the product is g, and nothing elsewhere, whatever the length.
 *
 * All words: one mirror per word cannot represent a turn. The first layer tracks c, the parity of the turns so far: each negates a key.
 * The second one moves the point by F^c g F^c', a mirror again (delta-two-layer.ts), whose direction comes from a table between them; a
 * second table finds the element from c and the head that reads 1.
 */

import type { Rows } from "../naive.ts";
import {
  CONSTANT,
  type Construction,
  lookupWeights,
  mirrored,
  normFactor,
  reflectionFrames,
  sparse,
  type Vector,
} from "./construction.ts";
import { groupReflections } from "./group-reflections.ts";

const HEADS = 8;
/** The mixer's settings. */
export const REFLECTING_CONFIG = { heads: HEADS, convolution: 0 };

/** C: e^-C is negligible even times a thousand. */
const CERTAIN = 60;
/** sigmoid of it is 1 in float32. */
const OPEN = 40;
/** the length of w is close enough to 1 */
const LARGE = 1000;
/** The column of each word of the width. */
const WORD = 1;
/** Of a head's four directions two are the plane and one is fixed by all mirrors; no key has that one here. */
const UNUSED = 3;

interface Reflecting {
  /** For <s>: its key, and the column of its value, 1. */
  readonly point: Vector;
  /** By head: its query, its logit there, and its output column. */
  readonly asks: readonly { readonly query: Vector; readonly logit: number; readonly column: number }[];
  /** The source columns of the mirror's direction, the same in all heads. */
  readonly mirrors: readonly (readonly [column: number, direction: Vector])[];
  /** The norm's factor at <s>. */
  readonly factor: number;
}

/** Everything else is 0: every other key, and with it its logit. */
function reflectingMixer(d: number, { point, asks, mirrors, factor }: Reflecting): Record<string, Rows> {
  const own = d / HEADS;
  const at = (part: number, head: number, i: number) => (part * HEADS + head) * own + i; // of q, k, v
  const [qkv, down, up, out] = [sparse(d, 3 * d), sparse(d, 32), sparse(32, d), sparse(d, d)];
  for (const [rank, [column, direction]] of mirrors.entries()) {
    down.at(column, rank, LARGE);
    for (let head = 0; head < HEADS; head++)
      for (const [i, each] of direction.entries()) up.at(rank, head * own + i, each);
  }
  for (const [head, { query, logit, column }] of asks.entries()) {
    const scale = (logit * Math.sqrt(own)) / factor;
    for (const [i, each] of query.entries()) qkv.at(CONSTANT, at(0, head, i), scale * each);
    for (const [i, each] of point.entries()) qkv.at(WORD, at(1, head, i), each / factor);
    qkv.at(WORD, at(2, head, 0), 1 / factor);
    out.at(head * own, column, 1);
  }
  return {
    ...{ qkv: qkv.weight, "reflection.down": down.weight, "reflection.up": up.weight, out: out.weight },
    betaBias: [new Array<number>(HEADS).fill(OPEN)],
  };
}

const direction = (i: number): Vector => [0, 1, 2, 3].map((each) => Number(each === i));

/** Head g reads 1 where the point has been moved by g. The points are 60 degrees apart: their products are 1, and 1/2 or less. */
function askingForElements(readAt: number): Pick<Reflecting, "point" | "asks"> {
  const { mirrors, point } = groupReflections("S_3");
  return {
    point: [...point, 1],
    asks: mirrors.map((own, element) => ({
      query: [...own.reduce<Vector>(mirrored, point), -0.75],
      ...{ logit: 4 * CERTAIN, column: readAt + element },
    })),
  };
}

/** Each word in a separate column, plus the constant. */
function wordsOf(d: number, words: number) {
  const embedding = sparse(words, d);
  for (let word = 0; word < words; word++) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, WORD + word, 1);
  }
  return embedding.weight;
}

const inLayer = (layer: number, part: string, weights: object) =>
  Object.entries(weights).map(([name, rows]) => [`layers.${layer}.${part}${name}`, rows]);

export const constructReflectedSwaps: Construction["set"] = (d) => {
  const { mirrors } = groupReflections("S_3");
  const words = 1 + mirrors.length;
  const read = WORD + words;
  const head = sparse(d, words);
  for (const element of mirrors.keys()) head.at(read + element, 1 + element, 1);
  const mixer = reflectingMixer(d, {
    ...askingForElements(read),
    // Words of two mirrors are not drawn.
    mirrors: [[], ...mirrors].map((own, word) => [
      WORD + word,
      own.length === 1 ? own[0] : direction(UNUSED),
    ]),
    factor: normFactor(Math.SQRT2, d),
  });
  return {
    embedding: wordsOf(d, words),
    head: head.weight,
    ...Object.fromEntries(inLayer(0, "mixer.", mixer)),
  };
};

/** Columns of the width after those of the words: 1 where c is 0, the direction of a mirror, the output, and the answer. */
const [EVEN, KEY, READ, TOLD] = [8, 9, 11, 17];

export const constructReflectedTwoLayers: Construction["set"] = (d) => {
  const { group, mirrors } = groupReflections("S_3");
  const swap = mirrors.findIndex((own) => own.length === 1);
  const [frame] = mirrors[swap]; // F
  const { mirrorOf } = reflectionFrames(frame);
  const isTurn = (own: readonly unknown[]) => own.length % 2 === 0;
  const words = 1 + mirrors.length;
  const counting = reflectingMixer(d, {
    point: direction(0),
    asks: [{ query: direction(0), logit: CERTAIN, column: EVEN }],
    mirrors: mirrors.map((own, g) => [WORD + 1 + g, direction(isTurn(own) ? 0 : UNUSED)]),
    factor: normFactor(Math.SQRT2, d),
  });
  const cases = [0, 1].map((c) => ({
    c,
    even: [EVEN, c === 0 ? 1 : -1] as const,
    needs: c === 0 ? 1.5 : 0.5,
  }));
  const directions = cases.flatMap(({ c, even, needs }) =>
    mirrors.map((own, g) => ({
      asks: [[WORD + 1 + g, 1] as const, even],
      ...{ needs, surplus: 0.5, length: Math.sqrt(3 - c) },
      gives: mirrorOf(own, c).map((each, i) => [KEY + i, each] as const),
    })),
  );
  const moving = reflectingMixer(d, {
    ...askingForElements(READ),
    mirrors: [0, 1].map((i) => [KEY + i, direction(i)]),
    factor: normFactor(Math.sqrt(3), d), // of <s>, which is even
  });
  const elements = cases.flatMap(({ c, even, needs }) =>
    mirrors.map((_, n) => ({
      asks: [[READ + n, 1] as const, even],
      ...{ needs, surplus: 0.5, length: Math.sqrt(5 - c) },
      gives: [[TOLD + (c === 0 ? n : group.multiply(n, swap)), LARGE] as const], // M = F^c N: first N, then F
    })),
  );
  const head = sparse(d, words);
  for (const element of mirrors.keys()) head.at(TOLD + element, 1 + element, 1);
  return {
    embedding: wordsOf(d, words),
    head: head.weight,
    ...Object.fromEntries([
      ...inLayer(0, "mixer.", counting),
      ...inLayer(0, "", lookupWeights(d, directions)),
      ...inLayer(1, "mixer.", moving),
      ...inLayer(1, "", lookupWeights(d, elements)),
    ]),
  };
};
