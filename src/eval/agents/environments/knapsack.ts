/**
 * @file Opaque Knapsack: weight, value and class of an item are visible only by inspection, and there are fewer
 * inspections than items.
 *
 *     item_3f  weight 12  value 71  class C        inspect("item_3f") -> {"weight": 12, "value": 71, "class": "C"}
 *     capacity 60, classes A, C, K allowed         take_item("item_3f") -> {"room": 48}; of another class: a PermissionError
 *
 *     budget = clamp(ceil(max(1.5 capacity / mean weight / share of allowed classes, 1.1 |optimum|)), 5, n)
 *
 * An instance is drawn again if fewer than five items are allowed, an optimum has fewer than three, or one of them is
 * more than 40 % of its value. The optimum knows all items, so no policy can expect it: `ceiling` is the mean value
 * of the best subset of a random inspection.
 *
 *     best[i][w] = max(best[i-1][w], best[i-1][w - weight_i] + value_i)        optimum by dynamic programming, O(n capacity)
 *
 * Source: the environment of mrcabbage972/agents-learn-runtime.
 */

import { z } from "zod";
import type { Rng } from "../../../core/rng.ts";
import type { ToolAnswer } from "../../../schemas/agents.ts";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import type { Shown } from "../history.ts";
import { definePolicy } from "../policies/policy.ts";

export interface Item {
  readonly id: string;
  readonly weight: number;
  readonly value: number;
  readonly class: string;
}

export interface Sack {
  readonly items: readonly Item[];
  readonly allowed: readonly string[];
  readonly capacity: number;
  /** Number of distinct items that may be inspected; repeats are free. */
  readonly budget: number;
  readonly optimum: number;
  /** Mean value of the best subset of `budget` random items. */
  readonly ceiling: number;
  readonly inspected: readonly string[];
  readonly taken: readonly string[];
  readonly finished: boolean;
}

interface Difficulty {
  readonly items: readonly [number, number];
  readonly weight: readonly [number, number];
  readonly value: readonly [number, number];
  readonly classes: number;
  readonly allowed: number;
  readonly capacity: readonly [number, number];
}

/** "hard" is what the published code calls medium. */
export const difficulties = {
  easy: {
    ...{ items: [25, 40], weight: [5, 20], value: [10, 100] },
    ...{ classes: 15, allowed: 3, capacity: [0.35, 0.5] },
  },
  hard: {
    ...{ items: [80, 120], weight: [5, 50], value: [10, 500] },
    ...{ classes: 26, allowed: 5, capacity: [0.4, 0.6] },
  },
} as const satisfies Record<string, Difficulty>;

const Params = z.strictObject({
  difficulty: z.enum(["easy", "hard"]).default("easy").describe("Size of the instance"),
  ceilingDraws: z
    .int()
    .min(1)
    .max(10_000)
    .default(32)
    .describe("Random inspections whose mean is the upper bound"),
});
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [
  { name: "list_items", parameters: [], words: "the ids of all items" },
  { name: "inspect", parameters: ["item"], words: "its weight, value and class; counts once an item" },
  { name: "take_item", parameters: ["item"], words: "puts it into the sack; gives the room that is left" },
  { name: "finish", parameters: [], words: "ends the task" },
];

export const knapsack: World<Params, Sack> = {
  name: "knapsack",
  summary: "items to inspect and take, with fewer inspections than items",
  source: "mrcabbage972/agents-learn-runtime",
  params: Params,
  tools,

  draw({ difficulty, ceilingDraws }, rng) {
    const drawn = drawSack(difficulties[difficulty], rng.fork("instance"));
    const ceiling = scoreCeiling(drawn, ceilingDraws, rng.fork("ceiling"));
    return { ...drawn, ceiling, inspected: [], taken: [], finished: false };
  },

  task: ({ items, allowed, capacity, budget }) =>
    [
      `Fill a sack of capacity ${capacity} with the most value out of ${items.length} items.`,
      `Only items of the classes ${allowed.join(", ")} may be taken. You may inspect ${budget} different items.`,
      "Write Python; these functions are there:",
      toolWords(tools),
    ].join("\n"),

  act(state, call) {
    const same = (answer: ToolAnswer) => ({ state, answer });
    const wrong = wrongCall(tools, call);
    if (wrong !== undefined) return same(wrong);
    if (state.finished) return same(refused("RuntimeError", "the task is finished"));
    if (call.name === "list_items") return same({ value: state.items.map(({ id }) => id) });
    if (call.name === "finish") return { state: { ...state, finished: true }, answer: { value: "finished" } };
    const item = state.items.find(({ id }) => id === call.arguments[0]);
    if (item === undefined) return same(refused("KeyError", "there is no such item"));
    return call.name === "inspect" ? inspect(state, item) : take(state, item);
  },

  answers: ({ items, optimum }) => [...items.map(({ id }) => id), String(optimum)],

  isOver: ({ finished }) => finished,

  score(state) {
    const value = totalValue(state.taken.map((id) => state.items.find((item) => item.id === id)!));
    return {
      ...{ share: value / state.optimum, value, optimum: state.optimum, ceiling: state.ceiling },
      ...{ ofCeiling: value / state.ceiling, inspected: state.inspected.length, budget: state.budget },
      // A program that takes what it has not inspected has guessed, or knows what it should not.
      takenUnseen: state.taken.filter((id) => !state.inspected.includes(id)).length,
    };
  },
};

function inspect(state: Sack, { id, weight, value, class: kind }: Item) {
  const known = state.inspected.includes(id);
  if (!known && state.inspected.length >= state.budget)
    return { state, answer: refused("RuntimeError", `all ${state.budget} inspections are used`) };
  const inspected = known ? state.inspected : [...state.inspected, id];
  return { state: { ...state, inspected }, answer: { value: { weight, value, class: kind } } };
}

function take(state: Sack, item: Item): { state: Sack; answer: ToolAnswer } {
  const { allowed, taken, capacity, items } = state;
  if (!allowed.includes(item.class))
    return { state, answer: refused("PermissionError", `class ${item.class} is not allowed`) };
  if (taken.includes(item.id)) return { state, answer: refused("ValueError", "it is in the sack already") };
  const room = capacity - totalWeight(items.filter(({ id }) => taken.includes(id))) - item.weight;
  if (room < 0) return { state, answer: refused("ValueError", "it does not fit") };
  return { state: { ...state, taken: [...taken, item.id] }, answer: { value: { room } } };
}

type Drawn = Pick<Sack, "items" | "allowed" | "capacity" | "budget" | "optimum">;

function drawSack(difficulty: Difficulty, rng: Rng): Drawn {
  for (let attempt = 0; ; attempt++) {
    const drawn = attemptSack(difficulty, rng.fork(attempt));
    if (drawn !== undefined) return drawn;
  }
}

const between = ([low, high]: readonly [number, number], rng: Rng) => low + rng.below(high - low + 1);

function attemptSack(difficulty: Difficulty, rng: Rng): Drawn | undefined {
  const { classes, allowed: allowedClasses } = difficulty;
  const letters = Array.from({ length: classes }, (_, i) => String.fromCharCode(65 + i));
  const allowed = sampled(letters, allowedClasses, rng).toSorted();
  const ids = new Set<string>();
  const count = between(difficulty.items, rng);
  while (ids.size < count) ids.add(`item_${rng.below(0x1_0000).toString(16).padStart(4, "0")}`);
  const items = [...ids].map((id, i) => ({
    ...{ id, weight: between(difficulty.weight, rng), value: between(difficulty.value, rng) },
    class: i === 0 ? allowed[rng.below(allowed.length)] : letters[rng.below(classes)],
  }));
  const good = items.filter((item) => allowed.includes(item.class));
  const [low, high] = difficulty.capacity;
  const capacity = Math.round((low + (high - low) * rng.next()) * totalWeight(good));
  const best = bestSubset(good, capacity);
  const optimum = totalValue(best);
  const largest = Math.max(...best.map(({ value }) => value));
  if (good.length < 5 || best.length < 3 || largest > 0.4 * optimum) return undefined;
  const meanWeight = totalWeight(items) / count;
  const needed = Math.max((1.5 * capacity) / meanWeight / (allowedClasses / classes), 1.1 * best.length);
  const budget = Math.min(count, Math.max(5, Math.ceil(needed)));
  // The first item, which is allowed in any case, is not the first that a policy sees.
  return { items: sampled(items, count, rng), allowed, capacity, budget, optimum };
}

/** A random sample without replacement, in random order. */
export function sampled<T>(list: readonly T[], count: number, rng: Rng): T[] {
  const rest = [...list];
  return Array.from({ length: count }, () => rest.splice(rng.below(rest.length), 1)[0]);
}

/** The mean, over random inspections, of what the best subset of the allowed items that were seen is worth. */
export function scoreCeiling(
  { items, allowed, capacity, budget }: Pick<Sack, "items" | "allowed" | "capacity" | "budget">,
  draws: number,
  rng: Rng,
): number {
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const seen = sampled(items, budget, rng.fork(draw)).filter((item) => allowed.includes(item.class));
    sum += totalValue(bestSubset(seen, capacity));
  }
  return sum / draws;
}

export interface Weighed {
  /** A positive integer. */
  readonly weight: number;
  readonly value: number;
}

/** The items of an optimal subset, in the given order: dynamic programming over items and weights. */
export function bestSubset<Item extends Weighed>(items: readonly Item[], capacity: number): Item[] {
  const width = capacity + 1;
  const best = new Float64Array((items.length + 1) * width);
  for (const [i, { weight, value }] of items.entries()) {
    for (let room = 0; room < width; room++) {
      const without = best[i * width + room];
      const taken = room < weight ? -1 : best[i * width + room - weight] + value;
      best[(i + 1) * width + room] = Math.max(without, taken);
    }
  }
  const chosen: Item[] = [];
  for (let i = items.length, room = capacity; i > 0; i--) {
    if (best[i * width + room] === best[(i - 1) * width + room]) continue;
    chosen.push(items[i - 1]);
    room -= items[i - 1].weight;
  }
  return chosen.reverse();
}

export const totalValue = (items: readonly Weighed[]) => items.reduce((sum, { value }) => sum + value, 0);
export const totalWeight = (items: readonly Weighed[]) => items.reduce((sum, { weight }) => sum + weight, 0);

/** Of both scripts. */
const ScriptParams = z.strictObject({
  step: z.int().min(1).max(25).default(5).describe("Inspections per cell"),
});

/**
 * Scripted policies for the knapsack: `reuse` relies on names of earlier cells, `rederive` writes all it knows into every cell.
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
export const reuse = definePolicy({
  name: "reuse",
  summary: "uses names that earlier cells have defined",
  params: ScriptParams,
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
});

export const rederive = definePolicy({
  name: "rederive",
  summary: "repeats the results of earlier cells in every cell",
  params: ScriptParams,
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
});

/** Items and their printed values, or the JSON results of their calls, which are valid Python. */
export function factsIn({ messages }: Shown): [string, string][] {
  const found = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => [...text.matchAll(/^(?:inspect\(")?(item_[0-9a-f]{4})(?:"\))? (\{.*\})$/gm)]);
  return found.map(([, item, fact]) => [item, fact]);
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
