/** @file Tracking: follows the program of the lock, and is wrong about a digit with probability e, each time anew. */

import { z } from "zod";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({ error: z.number().min(0).max(1).default(0) });

export const tracking: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "tracking",
  summary: "follows the state, wrong with probability e at each step (tracking.error)",
  params: Params,
  worlds: ["lock"],
  decide({ task, turn }, { error }, rng) {
    const digit = digitAfter(task, turn);
    if (rng.next() >= error) return `enter(${digit.value})`;
    const other = (digit.value + 1 + rng.below(digit.values - 1)) % digit.values;
    return `enter(${other})`;
  },
};

/** What the variable a holds after the line of this turn, by carrying the program out. */
function digitAfter(task: string, turn: number): { readonly value: number; readonly values: number } {
  const [first, ...lines] = task.match(/^[a-j](?:, [a-j])+ = .*$/gm)!;
  const [names, numbers] = first.split(" = ").map((side) => side.split(", "));
  const state = new Map(names.map((name, i) => [name, Number(numbers[i])]));
  for (const line of lines.slice(0, turn + 1)) {
    const [to, from] = line.split(" = ").map((side) => side.split(", "));
    const values = from.map((name) => state.get(name)!);
    for (const [i, name] of to.entries()) state.set(name, values[i]);
  }
  return { value: state.get("a")!, values: names.length };
}
