import fc from "fast-check";
import { expect, test } from "vitest";
import { allPermutations, apply, compose, invert, parity, shuffle, shuffled } from "./permutations.ts";
import { rngFrom } from "./rng.ts";

const permutation = fc
  .integer({ min: 0, max: 7 })
  .chain((n) => fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n }));
const pair = fc
  .integer({ min: 1, max: 7 })
  .chain((n) =>
    fc.tuple(
      fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n }),
      fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n }),
    ),
  );

test("applying the composition is applying one after the other, and the inverse undoes", () => {
  fc.assert(
    fc.property(pair, ([p, q]) => {
      const values = p.map((i) => `value ${i}`);
      expect(apply(compose(p, q), values)).toEqual(apply(q, apply(p, values)));
      expect(apply(invert(p), apply(p, values))).toEqual(values);
    }),
  );
});

test("parity counts inversions mod 2", () => {
  fc.assert(
    fc.property(permutation, (p) => {
      let inversions = 0;
      for (let i = 0; i < p.length; i++) for (let j = i + 1; j < p.length; j++) if (p[i] > p[j]) inversions++;
      expect(parity(p)).toBe(inversions % 2);
    }),
  );
});

test("there are n! permutations, all different, in lexicographic order, half of them even", () => {
  for (const [n, factorial] of [1, 1, 2, 6, 24, 120, 720].entries()) {
    const all = allPermutations(n);
    const names = all.map((p) => p.join(""));
    expect(new Set(names).size).toBe(factorial);
    expect(names).toEqual(names.toSorted());
    if (n >= 2) expect(all.filter((p) => parity(p) === 0)).toHaveLength(factorial / 2);
  }
});

test("shuffle reaches all 24 orders of four items equally often", () => {
  const rng = rngFrom(1);
  const counts = new Map<string, number>();
  for (let i = 0; i < 24_000; i++) {
    const items = [0, 1, 2, 3];
    shuffle(items, rng);
    counts.set(items.join(""), (counts.get(items.join("")) ?? 0) + 1);
  }
  expect(counts.size).toBe(24);
  // Five standard deviations of a count with mean 1000.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
});

test("shuffled draws the order that shuffle does, of items of any kind, and leaves them as they were", () => {
  const words = ["a", "b", "c", "d", "e"];
  const order = [0, 1, 2, 3, 4];
  shuffle(order, rngFrom(3));
  expect(order).not.toEqual([0, 1, 2, 3, 4]);
  expect(shuffled(words, rngFrom(3))).toEqual(order.map((i) => words[i]));
  expect(words.join("")).toBe("abcde");
});
