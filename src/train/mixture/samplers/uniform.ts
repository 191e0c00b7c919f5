/** @file Uniform: every part has the same share, whatever is given. */

import { z } from "zod";
import { definePolicy } from "./policy.ts";

export const uniform = definePolicy({
  name: "uniform",
  source: "own definition",
  params: z.strictObject({}),
  choose: ({ given }) => ({ shares: given.map(() => 1 / given.length), looked: [] }),
});
