/**
 * @file All turns, and behind the task what earlier episodes have taught: concepts from a store, those first whose cues stand in the last
 * turn.
 *
 *     inspect, then take_item (item): for each item: inspect(item); for each item: take_item(item)
 *
 * The store is a parameter, so the ledger holds what was shown; how it is made, and that it gives no answer away: concepts.ts one folder
 * above.
 *
 * Source: ArcMemo (matt-seb-ho/arc_memo).
 */

import { z } from "zod";
import { Concept } from "../../../schemas/concepts.ts";
import { asMessages, type History, keptReply } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({
  store: z.array(Concept).default([]),
  /** How many are shown. */
  most: z.int().min(0).default(5),
});

export const concepts: View<z.infer<typeof Params>> = {
  name: "concepts",
  summary: "all turns, and routines that earlier episodes have taught (agent run --concepts FILE)",
  params: Params,
  show(history, { store, most }) {
    const turns = history.flatMap((turn) => asMessages(turn, turn.end.output));
    const chosen = store
      .map((concept) => ({ concept, cued: cuesIn(history, concept) }))
      .toSorted((a, b) => b.cued - a.cued) // a stable sort: of equals the first of the store
      .slice(0, most)
      .map(({ concept }) => `${concept.name} (${concept.parameters.join(", ")}): ${concept.implementation}`);
    if (chosen.length === 0) return turns;
    return [{ role: "user", text: `Known routines:\n${chosen.join("\n")}` }, ...turns];
  },
};

/** How many of its cues the last turn names. */
function cuesIn(history: History, { cues }: Concept): number {
  const [last] = history.slice(-1);
  const text = last === undefined ? "" : `${keptReply(last)} ${last.end.output}`;
  return cues.filter((cue) => text.includes(cue)).length;
}
