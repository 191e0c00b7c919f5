import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { derivedLength, groupNamed } from "./groups.ts";

const orders = {
  ...{ Z_2: 2, Z_7: 7, S_3: 6, S_4: 24, S_5: 120, A_4: 12, A_5: 60 },
  ...{ "Z_2 x Z_3": 6, "S_3 x Z_4": 24, "Z_2 x A_4 x Z_3": 72 },
  ...{
    D_5: 10,
    D_12: 24,
    Q_8: 8,
    F_20: 20,
    F_21: 21,
    F_55: 55,
    "PSL(2,5)": 60,
    "PSL(2,7)": 168,
    "<2314, 2143>": 12,
  },
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
        return [...part].map((place) => parts[i][Number.parseInt(place, 36) - 1]).join("");
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

test.each([
  "S_1",
  "S_7",
  "A_2",
  "Z_1",
  "Z_8001",
  "B_3",
  "S3",
  "",
  "Z_2 x",
  "Z_100 x Z_100",
  "Z_2 + Z_3",
  "D_2",
  "F_9",
  "F_56",
  "PSL(2,9)",
  "PSL(2,29)",
  "<>",
  "<2133>",
  "<21, 213>",
  "M_12",
])("%j names no group that is made", (name) => {
  expect(groupNamed(name)).toBeUndefined();
});

test.each([
  ["Z_6", 1],
  ["Z_2 x Z_3", 1],
  ["S_3", 2],
  ["D_5", 2],
  ["Q_8", 2],
  ["A_4", 2],
  ["F_20", 2],
  ["F_21", 2],
  ["S_3 x Z_4", 2],
  ["S_4", 3],
  ["<2314, 2143>", 2],
  ["A_5", undefined],
  ["S_5", undefined],
  ["A_6", undefined],
  ["PSL(2,7)", undefined],
  ["Z_2 x A_5", undefined],
  ["M_11", undefined],
])("%s has the derived length %s", (name, length) => {
  expect(derivedLength(groupNamed(name)!)).toBe(length);
});

test("M_11 has 7920 elements and moves any four places to any others; its product with Z_2 is too large", () => {
  const { order, elements } = groupNamed("M_11")!;
  expect(order).toBe(7920); // 11 * 10 * 9 * 8: sharply four times transitive
  expect(new Set(elements.map((name) => name.slice(0, 4))).size).toBe(7920);
  expect(groupNamed("M_11 x Z_2")).toBeUndefined();
});

test("the derived length agrees with the series by brute force, over all pairs of elements", () => {
  const bySubgroups = (name: string): number | undefined => {
    const { order, multiply } = groupNamed(name)!;
    let own = Array.from({ length: order }, (_, g) => g);
    for (let steps = 0; ; steps++) {
      if (own.length === 1) return steps;
      const inverse = (g: number) => own.find((h) => multiply(g, h) === 0)!;
      const pairs = own.flatMap((g) =>
        own.map((h) => multiply(multiply(inverse(g), inverse(h)), multiply(g, h))),
      );
      const reached = new Set([0]);
      for (const g of reached) for (const each of new Set(pairs)) reached.add(multiply(g, each));
      if (reached.size === own.length) return undefined;
      own = [...reached];
    }
  };
  for (const name of ["Z_6", "S_4", "Q_8", "D_12", "F_20", "F_21", "A_5", "S_3 x S_3", "PSL(2,5)"])
    expect(derivedLength(groupNamed(name)!), name).toBe(bySubgroups(name));
});
