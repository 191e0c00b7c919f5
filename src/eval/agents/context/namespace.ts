/**
 * @file View: names and types of the variables in the interpreter, and the last turns; a long output is replaced by
 * its length.
 *
 *     seen: dict, ids: list
 *
 * Values passed between calls are not shown: 10^4 numbers through k calls cost O(k) tokens instead of k 10^4.
 *
 * Source: acodercat/cave-agent: output of more than 5,000 characters is replaced, not cut; at most ten steps.
 */

import { z } from "zod";
import { asMessages } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({
  steps: z.int().min(1).default(10),
  characters: z.int().min(0).default(5000),
});

export const runtime: View<z.infer<typeof Params>> = {
  name: "runtime",
  summary: "the names and types that live in the interpreter, and the last turns without long outputs",
  params: Params,
  show(history, { steps, characters }) {
    const names = history.at(-1)?.end.names ?? [];
    const turns = history.slice(Math.max(0, history.length - steps)).flatMap((turn) => {
      const { output, characters: printed } = turn.end;
      const words = `The output of ${printed} characters is longer than ${characters} and is not shown.`;
      return asMessages(turn, printed > characters ? words : output);
    });
    const alive = names.map(([name, kind]) => `${name}: ${kind}`).join(", ");
    return names.length === 0 ? turns : [...turns, { role: "user", text: `live objects: ${alive}` }];
  },
};
