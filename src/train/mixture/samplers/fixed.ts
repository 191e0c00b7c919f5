/** @file Fixed: the shares that the configuration gives, from the first step to the last. */

import { z } from "zod";
import { definePolicy } from "./policy.ts";

export const fixed = definePolicy({
  name: "fixed",
  source: "own definition",
  params: z.strictObject({}),
  choose: ({ given }) => ({ shares: given, looked: [] }),
});
