/** @file What a script reads in the task of the knapsack, and the lines that fill the sack. */

import type { Shown } from "../history.ts";

export interface KnapsackTask {
  readonly capacity: number;
  readonly budget: number;
  readonly classes: readonly string[];
}

/** From the words of `worlds/knapsack.ts`. */
export function readTask({ task }: Shown): KnapsackTask {
  const [, capacity] = /capacity (\d+)/.exec(task)!;
  const [, budget] = /inspect (\d+) different/.exec(task)!;
  const [, classes] = /classes ([A-Z, ]+) may/.exec(task)!;
  return { capacity: Number(capacity), budget: Number(budget), classes: classes.split(", ") };
}

/** Takes what is worth most for its weight as long as it fits; `seen` is there. */
export const taking = ({ capacity, classes }: KnapsackTask) =>
  [
    `room = ${capacity}`,
    `for item in sorted(seen, key=lambda each: -seen[each]["value"] / seen[each]["weight"]):`,
    `    if seen[item]["class"] in ${JSON.stringify(classes)} and seen[item]["weight"] <= room:`,
    `        room = take_item(item)["room"]`,
    "finish()",
  ].join("\n");
