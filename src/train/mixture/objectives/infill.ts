/**
 * @file Infilling: pieces of a program are taken out, and asked for behind it in their order.
 *
 *     a <hole> 1 \n b = <hole> \n   <copy>  <hole> =  <hole> 2
 *                                                  -         -      asked
 *
 * Each word begins a hole with such a chance that the `share` of all words is taken out, in pieces of `mean` words in the mean
 * (geometrically distributed, as in T5). What was taken out need not follow from the rest: who knows everything may be wrong.
 *
 * Source: span corruption of Raffel et al. 2020, arXiv:1910.10683; in Birdie, Blouir et al. 2024, 15 or 50 % in spans of 3 to 64.
 */

import { z } from "zod";
import { defineObjective } from "./objective.ts";

export const infill = defineObjective({
  name: "infill",
  source: "arXiv:1910.10683",
  params: z.strictObject({
    /** Of the words, how many are taken out in the mean. */
    share: z.number().gt(0).max(0.5).default(0.15),
    /** Words of a hole in the mean. */
    mean: z.number().min(1).max(1000).default(3),
  }),
  most: (words) => 2 * words + 2,
  write(program, rng, { word, answer }, { copy, hole }, { share, mean }) {
    // Between holes stand mean (1 - share) / share words in the mean, one at least.
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
      if (end < program.length) word(program[end]); // no two holes side by side
      at = end + 1;
    }
    word(copy);
    for (const piece of holes) {
      word(hole);
      for (const each of piece) answer(each);
    }
  },
});
