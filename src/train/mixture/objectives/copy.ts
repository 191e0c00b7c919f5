/**
 * @file Copy: a program, and then the same once more.
 *
 *     a = 1 \n  <copy>  a = 1 \n
 *                       - - - -       asked
 *
 * Source: the copying objective of Birdie, Blouir et al. 2024, as in its repository.
 */

import { z } from "zod";
import { defineObjective } from "./objective.ts";

export const copy = defineObjective({
  name: "copy",
  source: "samblouir/birdie",
  params: z.strictObject({}),
  most: (words) => 2 * words + 1,
  write(program, _, { word, answer }, { copy: request }) {
    for (const each of program) word(each);
    word(request);
    for (const each of program) answer(each);
  },
});
