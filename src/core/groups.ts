/**
 * @file Finite groups by name, as multiplication tables: S_n, A_n, Z_n and their products.
 *
 *     groupNamed("S_3").elements               123 132 213 231 312 321         what the values 1 2 3 become
 *     groupNamed("Z_2 x Z_3").elements         0,0 0,1 0,2 1,0 1,1 1,2
 *     multiply(g, h)                           first g, then h; element 0 changes nothing
 *
 * A permutation is named by its result on 1..n: 213 swaps the first two places.
 */

import { allPermutations, compose, parity } from "./permutations.ts";

export interface Group {
  readonly order: number;
  /** elements[g] is the name of element g; element 0 is the identity. */
  readonly elements: readonly string[];
  /** First g, then h. */
  multiply(g: number, h: number): number;
  /** The transpositions of S_n; none for other groups. */
  readonly swaps: readonly number[];
}

/** Largest supported order: the multiplication table has order^2 entries. */
export const LARGEST_ORDER = 1000;

/** @returns undefined if the name is of another form, or the group has more than `LARGEST_ORDER` elements. */
export function groupNamed(name: string): Group | undefined {
  const factors = name.split(/ ?x ?/).map(simpleGroup);
  return factors.reduce((left, right) => left && right && product(left, right));
}

function simpleGroup(name: string): Group | undefined {
  const form = /^([SAZ])_(\d{1,4})$/.exec(name);
  const n = Number(form?.[2]);
  switch (form?.[1]) {
    case "Z":
      return n >= 2 && n <= LARGEST_ORDER ? cyclic(n) : undefined;
    case "S":
      return n >= 2 && n <= 6 ? permutations(n, () => true) : undefined;
    case "A":
      return n >= 3 && n <= 6 ? permutations(n, (p) => parity(p) === 0) : undefined;
    default:
      return undefined;
  }
}

function cyclic(n: number): Group {
  const elements = Array.from({ length: n }, (_, g) => String(g));
  return { order: n, elements, multiply: (g, h) => (g + h) % n, swaps: [] };
}

function permutations(n: number, contains: (p: number[]) => boolean): Group {
  const all = allPermutations(n).filter(contains);
  const nameOf = (p: readonly number[]) => p.map((from) => from + 1).join("");
  const elements = all.map(nameOf);
  const order = elements.length;
  const indexOf = new Map(elements.map((name, g) => [name, g]));
  // Every product of two elements is an element.
  const table = Int32Array.from(
    all.flatMap((p) => all.map((q) => indexOf.get(nameOf(compose(p, q))) as number)),
  );
  const moved = (p: readonly number[]) => p.filter((from, i) => from !== i).length;
  return {
    order,
    elements,
    multiply: (g, h) => table[g * order + h],
    swaps: all.flatMap((p, g) => (moved(p) === 2 ? [g] : [])),
  };
}

function product(left: Group, right: Group): Group | undefined {
  const order = left.order * right.order;
  if (order > LARGEST_ORDER) return undefined;
  const n = right.order;
  return {
    order,
    elements: left.elements.flatMap((g) => right.elements.map((h) => `${g},${h}`)),
    multiply: (g, h) =>
      left.multiply(Math.floor(g / n), Math.floor(h / n)) * n + right.multiply(g % n, h % n),
    swaps: [],
  };
}
