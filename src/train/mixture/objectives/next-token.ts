/** @file Next token: every word of a program is asked for, but the first. */

import { z } from "zod";
import { defineObjective } from "./objective.ts";

export const nextToken = defineObjective({
  name: "next-token",
  source: "the usual training of language models",
  params: z.strictObject({}),
  most: (words) => words,
  write(program, _, { word, answer }) {
    for (const [i, each] of program.entries()) (i === 0 ? word : answer)(each);
  },
});
