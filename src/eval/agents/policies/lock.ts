/** @file Scripted policies for the lock: `guessing` (probability n^-H for H digits out of n) and `tracking` with independent errors. */

import { z } from "zod";
import type { ScriptedPolicy } from "./policy.ts";

const NoParams = z.strictObject({});

export const guessing: ScriptedPolicy<z.infer<typeof NoParams>> = {
  kind: "scripted",
  name: "guessing",
  summary: "a digit at random",
  params: NoParams,
  worlds: ["lock"],
  decide({ task }, _, rng) {
    const [first] = /^[a-j](?:, [a-j])+ = /m.exec(task)!;
    return `enter(${rng.below(first.split(",").length)})`;
  },
};

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

/** Runs the program: the value of variable a after the line of this turn. */
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
