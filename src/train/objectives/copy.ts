/**
 * @file Copy: a program, and then the same once more. Selective copy: a program, and then pieces of it, each identified by the words
 * before it.
 *
 *     copy             a = 1 \n  <copy>  a = 1 \n
 *                                        - - - -       asked
 *     selective copy   ann 1 \n bob 2 \n cid 3 \n   <find> bob <copy> 2 \n   <find> ann <copy> 1 \n
 *                                                                    - -                     - -      asked
 *
 * A question has `before` words, and as many more as it takes to be unique in the program, so the answer is determined. A piece
 * without a unique question is not asked.
 *
 * Source: the copying and selective copying of Birdie, Blouir et al. 2024, as in its repository, where questions have 8 to 64 tokens
 * and are before or after the text; shortest questions are our own.
 */

import { z } from "zod";
import { definePart } from "./objective.ts";

export const copy = definePart({
  params: z.strictObject({}),
  most: (words) => 2 * words + 1,
  write(program, _, { word, answer }, { copy: request }) {
    for (const each of program) word(each);
    word(request);
    for (const each of program) answer(each);
  },
});

export const selectiveCopy = definePart({
  params: z.strictObject({
    /** Pieces that are asked. */
    pieces: z.int().min(1).max(1000).default(4),
    /** Words of a piece. */
    words: z.int().min(1).max(1000).default(2),
    /** Least words of a question. */
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

/** Start of the shortest question that ends before `at` and occurs once in the program. */
function questionFrom(program: readonly number[], at: number, least: number): number | undefined {
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
