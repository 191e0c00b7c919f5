/**
 * @file Rederive: each cell begins with all that is known, as it is read in what is shown. It needs no names of earlier cells, and
 * pays for it in tokens; what the view no longer shows, it has forgotten.
 *
 *     seen = {
 *         "item_3f2a": {'weight': 12, 'value': 71, 'class': 'C'},       b tokens for each item that is known
 *     }
 *     ids = list_items()                                                a tokens for the rest
 *     for item in ids[5:10]:
 *         seen[item] = inspect(item)
 *         print(item, seen[item])
 *
 * Over m cells of g items, sum over j < m of (a + b g j): to `reuse` as 1 + (b g / a)(m - 1)/2 where the a is the same.
 */

import { z } from "zod";
import type { Shown } from "../history.ts";
import { readTask, taking } from "./knapsack-task.ts";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({
  /** Inspections a cell. */
  step: z.int().min(1).max(25).default(5),
});

export const rederive: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "rederive",
  summary: "pastes all that is shown of earlier cells into every cell",
  params: Params,
  worlds: ["knapsack"],
  decide(shown, { step }) {
    const task = readTask(shown);
    const cells = Math.ceil(task.budget / step);
    if (shown.turn > cells) return "finish()";
    const known = ["seen = {", ...factsIn(shown).map(([item, fact]) => `    "${item}": ${fact},`), "}"];
    if (shown.turn === cells) return [...known, taking(task)].join("\n");
    const to = Math.min(task.budget, (shown.turn + 1) * step);
    return [
      ...known,
      "ids = list_items()",
      `for item in ids[${shown.turn * step}:${to}]:`,
      "    seen[item] = inspect(item)",
      "    print(item, seen[item])",
    ].join("\n");
  },
};

/** Items and what was printed of them, or what the calls gave as JSON, which is Python as well. */
export function factsIn({ messages }: Shown): [string, string][] {
  const found = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => [...text.matchAll(/^(?:inspect\(")?(item_[0-9a-f]{4})(?:"\))? (\{.*\})$/gm)]);
  return found.map(([, item, fact]) => [item, fact]);
}

/** The cells of a policy that looks at `step` items a cell: `a` tokens, and `b` for each item that it pastes. */
export interface CellTokens {
  readonly inspections: number;
  readonly step: number;
  readonly a: number;
  readonly b: number;
}

/** Tokens of all inspecting cells of `reuse`: m a, with m = ceil(B / g). */
export const reusedTokens = ({ inspections, step, a }: CellTokens) => Math.ceil(inspections / step) * a;

/** Those of `rederive`: sum over j < m of (a + b g j). */
export function rederivedTokens({ inspections, step, a, b }: CellTokens): number {
  const cells = Math.ceil(inspections / step);
  return cells * a + (b * step * cells * (cells - 1)) / 2;
}
