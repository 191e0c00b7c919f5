/**
 * @file A program whose swaps may or may not have happened, as the visitor writes it, and what filters believe after each line.
 *
 *     ab.a1.bc       if random.random() < p: a, b = b, a      print(a)  # 1      if random.random() < p: b, c = c, b
 */

import type { Filter } from "../../src/analysis/belief/filter.ts";
import { exactFilter, swapWalk } from "../../src/analysis/belief/filter.ts";
import { type MarginalRule, marginalFilter } from "../../src/analysis/belief/marginal.ts";
import type { Event } from "../../src/core/hidden-markov.ts";
import { indexPairs, permutationMachine } from "../../src/core/permutation-walk.ts";

export const MOST_LINES = 60;
export const filterNames = ["exact", "sinkhorn", "row+column", "row"] as const;
export type FilterName = (typeof filterNames)[number];

export interface Setting {
  readonly variables: number;
  /** Of each swap. */
  readonly probability: number;
  /** As in the address: `ab`, `a1`. */
  readonly lines: readonly string[];
}

export interface Believed {
  /** [variable][value]: how likely it is held to be. */
  readonly shares: readonly (readonly number[])[];
  /** Nats paid at each reveal so far. */
  readonly paid: readonly number[];
}

/** After each line; the first is before any. */
export interface Moment {
  readonly by: Readonly<Record<FilterName, Believed>>;
  /** The probability of all that was printed so far, by logarithms to base 10: what the filter without division has left. */
  readonly mass: number;
}

export const machineVariables = (variables: number) => [..."abcde"].slice(0, variables);

/** Every line that could be written. */
export function machineLines(variables: number): { readonly swaps: string[]; readonly reveals: string[] } {
  const names = machineVariables(variables);
  return {
    swaps: indexPairs(variables).map(([i, j]) => names[i] + names[j]),
    reveals: names.flatMap((name) => names.map((_, value) => `${name}${value + 1}`)),
  };
}

function eventOf(line: string, variables: number): Event | undefined {
  const { swaps, reveals } = machineLines(variables);
  const action = swaps.indexOf(line);
  if (action !== -1) return { kind: "act", action };
  const at = reveals.indexOf(line);
  return at === -1
    ? undefined
    : { kind: "reveal", question: Math.floor(at / variables), answer: at % variables };
}

/** Lines that are none, and prints that cannot happen, are left out: `lines` are those that count. */
export function followed({ variables, probability, lines }: Setting): {
  readonly lines: readonly string[];
  readonly moments: readonly Moment[];
} {
  const walk = swapWalk(variables, probability);
  const rules: readonly MarginalRule[] = ["sinkhorn", "row+column", "row"];
  const filters: readonly (readonly [FilterName, Filter])[] = [
    ["exact", exactFilter(permutationMachine(walk)) as Filter],
    ...rules.map((rule) => [rule, marginalFilter(walk, rule) as Filter] as const),
  ];
  const beliefs = new Map<FilterName, unknown>(filters.map(([name, filter]) => [name, filter.start]));
  const paid = new Map<FilterName, number[]>(filters.map(([name]) => [name, []]));
  let mass = 0;
  const moment = (): Moment => ({
    by: Object.fromEntries(
      filters.map(([name, filter]): [FilterName, Believed] => [
        name,
        {
          shares: machineVariables(variables).map((_, i) => [...filter.answers(beliefs.get(name), i)]),
          paid: [...paid.get(name)!], // one of the filters
        },
      ]),
    ) as Record<FilterName, Believed>,
    mass,
  });
  const moments = [moment()];
  const kept: string[] = [];
  for (const line of lines) {
    const event = eventOf(line, variables);
    if (event === undefined || kept.length === MOST_LINES) continue;
    const [[, exact]] = filters;
    const chance =
      event.kind === "act" ? 1 : exact.answers(beliefs.get("exact"), event.question)[event.answer];
    if (chance < IMPOSSIBLE) continue;
    for (const [name, filter] of filters) {
      const belief = beliefs.get(name);
      if (event.kind === "act") beliefs.set(name, filter.act(belief, event.action));
      else {
        paid.get(name)!.push(-Math.log(filter.answers(belief, event.question)[event.answer]));
        beliefs.set(name, filter.observe(belief, event.question, event.answer));
      }
    }
    mass += Math.log10(chance);
    kept.push(line);
    moments.push(moment());
  }
  return { lines: kept, moments };
}

/** Less is a rounding of 0. */
export const IMPOSSIBLE = 1e-12;

/** Lines of a program that ran, with a print after every `spacing` maybe-swaps. */
export function drawnLines(
  { variables, probability }: Omit<Setting, "lines">,
  spacing: number,
  reveals: number,
  random: () => number,
): string[] {
  const names = machineVariables(variables);
  const { swaps } = machineLines(variables);
  const pick = (count: number) => Math.min(count - 1, Math.floor(count * random()));
  const held = names.map((_, i) => i + 1);
  return Array.from({ length: reveals }, () => {
    const lines = Array.from({ length: spacing }, () => {
      const swap = swaps[pick(swaps.length)];
      const [i, j] = [...swap].map((name) => names.indexOf(name));
      if (random() < probability) [held[i], held[j]] = [held[j], held[i]];
      return swap;
    });
    const asked = pick(variables);
    return [...lines, `${names[asked]}${held[asked]}`];
  }).flat();
}
