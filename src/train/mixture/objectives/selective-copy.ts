/**
 * @file Selective copy: a program, and then pieces of it are asked for by what stands before them.
 *
 *     ann 1 \n bob 2 \n cid 3 \n   <find> bob <copy> 2 \n   <find> ann <copy> 1 \n
 *                                                    - -                     - -      asked
 *
 * A question is as short as it can be: `before` words, and as many more as it takes for them to stand in the program once. So the answer
 * is certain. A piece that no question tells from another is not asked for.
 *
 * Source: the selective copying of Birdie, Blouir et al. 2024, as in its repository, where questions are of 8 to 64 tokens and
 * stand before or behind the text; that they are as short as they can be is our own.
 */

import { z } from "zod";
import { defineObjective } from "./objective.ts";

export const selectiveCopy = defineObjective({
  name: "selective-copy",
  source: "samblouir/birdie",
  params: z.strictObject({
    /** Pieces that are asked for. */
    pieces: z.int().min(1).max(1000).default(4),
    /** Words of a piece. */
    words: z.int().min(1).max(1000).default(2),
    /** Words of a question, at least. */
    before: z.int().min(1).max(1000).default(1),
  }),
  most: (words, { pieces, words: length }) => words + pieces * (2 + words + length),
  write(program, rng, { word, answer }, { find, copy }, { pieces, words: length, before }) {
    for (const each of program) word(each);
    for (let piece = 0; piece < pieces; piece++) {
      const last = program.length - length;
      if (last < before) return;
      const at = before + rng.below(last - before + 1);
      const from = questionFrom(program, at, before);
      if (from === undefined) continue;
      word(find);
      for (const each of program.slice(from, at)) word(each);
      word(copy);
      for (const each of program.slice(at, at + length)) answer(each);
    }
  },
});

/** Where the shortest question that ends before `at`, and stands in the program once, begins. */
export function questionFrom(program: readonly number[], at: number, least: number): number | undefined {
  for (let from = at - least; from >= 0; from--) {
    const length = at - from;
    let count = 0;
    for (let start = 0; start + length <= program.length && count < 2; start++) {
      let same = 0;
      while (same < length && program[start + same] === program[from + same]) same++;
      if (same === length) count++;
    }
    if (count === 1) return from;
  }
  return undefined;
}
