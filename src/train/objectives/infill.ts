/**
 * @file Infilling: pieces of a program are removed, and asked for after it in order.
 *
 *     a <hole> 1 \n b = <hole> \n   <copy>  <hole> =  <hole> 2
 *                                                  -         -      asked
 *
 * Each word starts a hole with a probability such that a `share` of all words is removed, in pieces of `mean` words on average
 * (geometric, as in T5). A removed piece need not follow from the rest: even a perfect model may be wrong.
 *
 * Source: span corruption of Raffel et al. 2020, arXiv:1910.10683; in Birdie, Blouir et al. 2024, 15 or 50 % in spans of 3 to 64.
 */

import { z } from "zod";
import { definePart } from "./objective.ts";

export const infill = definePart({
  params: z.strictObject({
    /** Mean share of the words that are removed. */
    share: z.number().gt(0).max(0.5).default(0.15),
    /** Mean words of a hole. */
    mean: z.number().min(1).max(1000).default(3),
  }),
  most: (words) => 2 * words + 2,
  write(program, rng, { word, answer }, { copy, hole }, { share, mean }) {
    // Between holes there are mean (1 - share) / share words on average, at least one.
    const begins = Math.min(1, share / ((1 - share) * mean));
    const holes: (readonly number[])[] = [];
    for (let at = 0; at < program.length; ) {
      if (rng.next() >= begins) {
        word(program[at++]);
        continue;
      }
      let end = at + 1;
      while (end < program.length && rng.next() >= 1 / mean) end++;
      holes.push(program.slice(at, end));
      word(hole);
      if (end < program.length) word(program[end]); // no two adjacent holes
      at = end + 1;
    }
    word(copy);
    for (const piece of holes) {
      word(hole);
      for (const each of piece) answer(each);
    }
  },
});
