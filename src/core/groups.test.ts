import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupNamed } from "./groups.ts";

const orders = {
  ...{ Z_2: 2, Z_7: 7, S_3: 6, S_4: 24, S_5: 120, A_4: 12, A_5: 60 },
  ...{ "Z_2 x Z_3": 6, "S_3 x Z_4": 24, "Z_2 x A_4 x Z_3": 72 },
};

/** What a word of the group does, from the names alone: permutations move places, numbers are added. */
function follow(names: readonly string[], kinds: readonly string[], state: string): string {
  return names.reduce((before, name) => {
    const parts = before.split(",");
    return name
      .split(",")
      .map((part, i) => {
        if (kinds[i].startsWith("Z"))
          return String((Number(parts[i]) + Number(part)) % Number(kinds[i].slice(2)));
        return [...part].map((place) => parts[i][Number(place) - 1]).join("");
      })
      .join(",");
  }, state);
}

describe.each(Object.entries(orders))("%s", (name, order) => {
  const group = groupNamed(name)!;
  const { multiply, elements } = group;
  const element = fc.nat(order - 1);

  test(`has ${order} distinct elements, the first of which changes nothing`, () => {
    expect(group.order).toBe(order);
    expect(new Set(elements).size).toBe(order);
    for (let g = 0; g < order; g++) expect([multiply(0, g), multiply(g, 0)]).toEqual([g, g]);
  });

  test("keeps the axioms: products are elements, they associate, and every element has one inverse", () => {
    fc.assert(
      fc.property(element, element, element, (f, g, h) => {
        const fg = multiply(f, g);
        expect(Number.isInteger(fg) && fg >= 0 && fg < order).toBe(true);
        expect(multiply(fg, h)).toBe(multiply(f, multiply(g, h)));
      }),
      { seed: 1 },
    );
    for (let g = 0; g < order; g++) {
      const inverses = Array.from({ length: order }, (_, h) => h).filter((h) => multiply(g, h) === 0);
      expect(inverses).toHaveLength(1);
      expect(multiply(inverses[0], g)).toBe(0);
    }
  });

  test("multiplies as its names say, one after the other", () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 12 }), (word) => {
        const reached = word.reduce(multiply, 0);
        const names = word.map((g) => elements[g]);
        expect(follow(names, name.split(" x "), elements[0])).toBe(elements[reached]);
      }),
      { seed: 2 },
    );
  });
});

/** Everything that products of some elements reach, by brute force. */
function closure(name: string, generators: readonly number[]): number {
  const { multiply } = groupNamed(name)!;
  const reached = new Set([0]);
  for (const g of reached) for (const generator of generators) reached.add(multiply(g, generator));
  return reached.size;
}

test.each([
  ["S_3", 3, 6],
  ["S_4", 6, 24],
  ["S_5", 10, 120],
])("%s has %d swaps, which reach all of its %d elements", (name, count, order) => {
  const { swaps, multiply } = groupNamed(name)!;
  expect(swaps).toHaveLength(count);
  for (const swap of swaps) expect(multiply(swap, swap)).toBe(0);
  expect(closure(name, swaps)).toBe(order);
});

test.each(["S_1", "S_7", "A_2", "Z_1", "Z_1001", "B_3", "S3", "", "Z_2 x", "Z_40 x Z_40", "Z_2 + Z_3"])(
  "%j names no group that is made",
  (name) => {
    expect(groupNamed(name)).toBeUndefined();
  },
);
