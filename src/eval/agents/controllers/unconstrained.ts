/** @file What the policy says is run. */

import { z } from "zod";
import type { Control } from "./controller.ts";

const Params = z.strictObject({});

export const free: Control<z.infer<typeof Params>> = {
  name: "free",
  summary: "what the policy says is run",
  params: Params,
  checks: () => false,
  choose: async ({ ask }) => [await ask()],
};
