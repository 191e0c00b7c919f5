/** @file Guessing: a digit at random. A lock of H digits out of n opens for it with probability n^-H. */

import { z } from "zod";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({});

export const guessing: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "guessing",
  summary: "a digit at random",
  params: Params,
  worlds: ["lock"],
  decide({ task }, _, rng) {
    const [first] = /^[a-j](?:, [a-j])+ = /m.exec(task)!;
    return `enter(${rng.below(first.split(",").length)})`;
  },
};
