/**
 * @file The last W turns, and one block about the agent itself: which step it is, what is left, what was last known to be so, what has
 * failed.
 *
 *     step 4 of 40; calls 12
 *     last answer: inspect("item_3f") {"weight":12}
 *     failures: KeyError 2
 *
 * Source: the sensorium of seamus-brady/springdrift.
 */

import { z } from "zod";
import { asMessages, type History } from "../history.ts";
import type { View } from "./view.ts";
import { callLine } from "./view.ts";

const Params = z.strictObject({
  /** W: as of the view `window`, to compare with. */
  turns: z.int().min(0).default(4),
});

export const self: View<z.infer<typeof Params>> = {
  name: "self",
  summary: "the last W turns (self.turns), and a block: step, budget, last answer, failures",
  params: Params,
  show(history, { turns }, begin) {
    if (history.length === 0) return [];
    const late = history.slice(Math.max(0, history.length - turns));
    return [
      ...late.flatMap((turn) => asMessages(turn, turn.end.output)),
      { role: "user", text: blockOf(history, begin.turns) },
    ];
  },
};

function blockOf(history: History, turns: number): string {
  const calls = history.flatMap((turn) => turn.calls);
  const answered = calls.findLast(({ answer }) => !("error" in answer));
  const failures = new Map<string, number>();
  const add = (name: string) => failures.set(name, (failures.get(name) ?? 0) + 1);
  for (const { end } of history) if (end.end !== "finished") add(end.exception);
  const failed = [...failures].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `step ${history.length + 1} of ${turns}; calls ${calls.length}`,
    `last answer: ${answered === undefined ? "none" : callLine(answered)}`,
    `failures: ${failed || "none"}`,
  ].join("\n");
}
