/**
 * @file Reuse: each cell relies on the names of those before it. Where nothing stays, its second cell is a NameError.
 *
 *     ids = list_items()                     cell 0 alone
 *     seen = {}
 *     for item in ids[0:5]:                  every cell but the last: a tokens
 *         seen[item] = inspect(item)
 *
 * B inspections, g a cell: m = ceil(B / g) cells of a tokens, m a in all, and one that fills the sack.
 */

import { z } from "zod";
import { readTask, taking } from "./knapsack-task.ts";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({
  /** Inspections a cell. */
  step: z.int().min(1).max(25).default(5),
});

export const reuse: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "reuse",
  summary: "inspects and takes by names of earlier cells",
  params: Params,
  worlds: ["knapsack"],
  decide(shown, { step }) {
    const task = readTask(shown);
    const cells = Math.ceil(task.budget / step);
    if (shown.turn > cells) return "finish()";
    if (shown.turn === cells) return taking(task);
    const to = Math.min(task.budget, (shown.turn + 1) * step);
    const first = shown.turn === 0 ? ["ids = list_items()", "seen = {}"] : [];
    return [...first, `for item in ids[${shown.turn * step}:${to}]:`, "    seen[item] = inspect(item)"].join(
      "\n",
    );
  },
};
