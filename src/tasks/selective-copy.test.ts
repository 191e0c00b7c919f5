import fc from "fast-check";
import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { selectiveCopy } from "./selective-copy.ts";

const drawn = (params: object, count: number, seed = 3) => {
  const prepared = prepareTask(selectiveCopy, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(seed, "train")(i)));
};

const wordsOf = (text: string): string[] => text.match(/d\d+|[_>]/g) ?? [];

test("whatever the sizes: words among blanks, then as many marks, each asked for the next word", () => {
  const sizes = fc.record({
    items: fc.integer({ min: 1, max: 12 }),
    extra: fc.integer({ min: 0, max: 30 }),
    kinds: fc.integer({ min: 1, max: 20 }),
    places: fc.constantFrom("random", "first"),
    seed: fc.nat(1000),
  });
  fc.assert(
    fc.property(sizes, ({ items, extra, kinds, places, seed }) => {
      const length = items + extra;
      const [{ text, reveals }] = drawn({ items, length, kinds, places }, 1, seed);
      const words = wordsOf(text);
      expect(words.join("")).toBe(text);
      expect(words.slice(length)).toEqual(new Array(items).fill(">"));
      const before = words.slice(0, length);
      const copied = before.filter((word) => word !== "_");
      expect(copied).toHaveLength(items);
      expect(reveals.map(({ value }) => value)).toEqual(copied);
      expect(reveals.map(({ start }) => wordsOf(text.slice(0, start)).length)).toEqual(
        copied.map((_, i) => length + i + 1),
      );
      if (places === "first") expect(before.slice(0, items)).toEqual(copied);
    }),
    { numRuns: 80 },
  );
});

test("all sets of places are equally likely, and all words, independently of each other", () => {
  const count = 6000;
  const seen = new Map<string, number>();
  for (const { text } of drawn({ items: 2, length: 4, kinds: 2 }, count))
    seen.set(text, (seen.get(text) ?? 0) + 1);
  expect(seen.size).toBe(6 * 4);
  for (const each of seen.values())
    expect(Math.abs(each - count / 24)).toBeLessThan(5 * Math.sqrt(count / 24));
});

test("with words in front each is as far from its question as there are words before the marks, else not", () => {
  const distances = (places: string) => {
    const found = new Set<number>();
    for (const { text } of drawn({ items: 3, length: 10, places }, 40)) {
      const at = wordsOf(text).flatMap((word, i) => (word.startsWith("d") ? [i] : []));
      for (const [i, place] of at.entries()) found.add(10 + i - place);
    }
    return [...found].toSorted((one, other) => one - other);
  };
  expect(distances("first")).toEqual([10]);
  expect(distances("random")).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
});

test("the best answer of who knows the words but no order is right as often as the reference says, over all orders", () => {
  const orders = (all: readonly string[]): string[][] =>
    all.length === 0
      ? [[]]
      : all.flatMap((one, i) => orders(all.toSpliced(i, 1)).map((rest) => [one, ...rest]));
  const { references } = prepareTask(selectiveCopy, {});
  for (const example of drawn({ items: 5, length: 5, kinds: 3 }, 30)) {
    const copied = example.reveals.map(({ value }) => value);
    const all = orders(copied);
    const best = copied.map((_, at) => {
      const right = copied.map((guess) => all.filter((order) => order[at] === guess).length);
      return Math.max(...right) / all.length;
    });
    const said = references!.anySeen(example);
    for (const [at, share] of said.entries()) expect(share).toBeCloseTo(best[at], 12);
    expect(said).toHaveLength(5);
  }
});

test("more words than there are places are refused", () => {
  expect(() => prepareTask(selectiveCopy, { items: [1, 9], length: [8, 12] })).toThrow(
    "selective-copy: expected length of at least 9, as many as items, got 8",
  );
});
