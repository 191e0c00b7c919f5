/**
 * @file The swaps of three things in attention whose keys are reflected (PaTH), set by hand.
 *
 *     <s> has the only key, a point of the plane;   a swap is a mirror of the plane:   the key is the point, moved as the product so far moves it
 *     head g asks for the point as the element g moves it: its logit is C there, -C or less elsewhere, and that of every other key is 0
 *
 * So head g reads the value of <s>, which is 1, where the product is g, and nothing elsewhere, whatever the length. Columns of the width: [constant, one
 * for each word, one for each head].
 */

import type { Rows } from "../naive.ts";
import { reflectionsOf } from "./group-reflections.ts";
import { type Held, normFactor, sparse } from "./held.ts";

const HEADS = 8;
/** The row's own settings. */
export const REFLECTING_CONFIG = { heads: HEADS, convolution: 0 };

/** C: e^-C is nothing beside a thousand. */
const CERTAIN = 60;
/** sigmoid of it is 1 in float32. */
const OPEN = 40;
/** w is as good as of length 1. */
const LARGE = 1000;
const CONSTANT = 0;
/** Directions of a head besides the plane. */
const [STILL, UNUSED] = [2, 3];

export const heldReflectedSwaps: Held["set"] = (d) => {
  const { group, mirrors, point } = reflectionsOf("S_3");
  const own = d / HEADS;
  const words = 1 + group.order;
  const column = (word: number) => 1 + word;
  const read = (element: number) => 1 + words + element;
  const factor = normFactor(Math.SQRT2, d);
  const at = (part: number, head: number, i: number) => (part * HEADS + head) * own + i; // of q, k, v
  const [embedding, qkv, down, up] = [sparse(words, d), sparse(d, 3 * d), sparse(d, 32), sparse(32, d)];
  const [out, head] = [sparse(d, d), sparse(d, words)];
  for (let word = 0; word < words; word++) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, column(word), 1);
    down.at(column(word), word, LARGE / factor);
    const [mirror, ...more] = word === 0 ? [] : mirrors[word - 1];
    // Words of two mirrors are not drawn.
    for (let each = 0; each < HEADS; each++) {
      if (mirror === undefined || more.length > 0) up.at(word, each * own + UNUSED, 1);
      else for (const [i, part] of mirror.entries()) up.at(word, each * own + i, part);
    }
  }
  for (let element = 0; element < group.order; element++) {
    const moved = mirrors[element].reduce((x, k) => {
      const along = x.reduce((sum, each, i) => sum + each * k[i], 0);
      return x.map((each, i) => each - 2 * along * k[i]);
    }, point);
    // The points are 60 degrees apart: their products are 1, and 1/2 or less.
    const scale = (4 * CERTAIN * Math.sqrt(own)) / factor;
    for (const [i, each] of moved.entries()) qkv.at(CONSTANT, at(0, element, i), scale * each);
    qkv.at(CONSTANT, at(0, element, STILL), -0.75 * scale);
    for (const [i, each] of point.entries()) qkv.at(column(0), at(1, element, i), each / factor);
    qkv.at(column(0), at(1, element, STILL), 1 / factor);
    qkv.at(column(0), at(2, element, 0), 1 / factor);
    out.at(element * own, read(element), 1);
    head.at(read(element), 1 + element, 1);
  }
  const mixer: Record<string, Rows> = {
    ...{ qkv: qkv.weight, "reflection.down": down.weight, "reflection.up": up.weight, out: out.weight },
    betaBias: [new Array<number>(HEADS).fill(OPEN)],
  };
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
};
