/**
 * @file Scripted policies for the knapsack: `reuse` relies on names of earlier cells, `rederive` writes all it knows into every cell.
 *
 *     ids = list_items()                     reuse, cell 0 only
 *     seen = {}
 *     for item in ids[0:5]:                  every cell but the last: a tokens
 *         seen[item] = inspect(item)
 *
 *     seen = {
 *         "item_3f2a": {'weight': 12, 'value': 71, 'class': 'C'},       rederive: b tokens for each known item
 *     }
 *     ids = list_items()                                                a tokens for the rest
 *     for item in ids[5:10]:
 *         seen[item] = inspect(item)
 *         print(item, seen[item])
 *
 * B inspections, g a cell: m = ceil(B / g) cells, and one that fills the sack. `reuse` takes m a tokens, `rederive` the sum over j < m of
 * (a + b g j): a factor of 1 + (b g / a)(m - 1)/2 for equal a. Without persistent names, the second cell of `reuse` is a NameError;
 * `rederive` knows only what the view shows.
 */

import { z } from "zod";
import type { Shown } from "../history.ts";
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

/** Items and their printed values, or the JSON results of their calls, which are valid Python. */
export function factsIn({ messages }: Shown): [string, string][] {
  const found = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => [...text.matchAll(/^(?:inspect\(")?(item_[0-9a-f]{4})(?:"\))? (\{.*\})$/gm)]);
  return found.map(([, item, fact]) => [item, fact]);
}

/** Cells that inspect `step` items each: `a` tokens, and `b` for each pasted item. */
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

interface KnapsackTask {
  readonly capacity: number;
  readonly budget: number;
  readonly classes: readonly string[];
}

/** Parses the task text of environments/knapsack.ts. */
export function readTask({ task }: Shown): KnapsackTask {
  const [, capacity] = /capacity (\d+)/.exec(task)!;
  const [, budget] = /inspect (\d+) different/.exec(task)!;
  const [, classes] = /classes ([A-Z, ]+) may/.exec(task)!;
  return { capacity: Number(capacity), budget: Number(budget), classes: classes.split(", ") };
}

/** Takes items by value per weight while they fit; needs `seen`. */
export const taking = ({ capacity, classes }: KnapsackTask) =>
  [
    `room = ${capacity}`,
    `for item in sorted(seen, key=lambda each: -seen[each]["value"] / seen[each]["weight"]):`,
    `    if seen[item]["class"] in ${JSON.stringify(classes)} and seen[item]["weight"] <= room:`,
    `        room = take_item(item)["room"]`,
    "finish()",
  ].join("\n");
