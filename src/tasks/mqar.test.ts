import fc from "fast-check";
import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { mqar } from "./mqar.ts";

const drawn = (params: object, count: number, seed = 3) => {
  const prepared = prepareTask(mqar, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(seed, "train")(i)));
};

const wordsOf = (text: string): string[] => text.match(/[kvf]\d+/g) ?? [];

test("whatever the sizes: different keys and values in pairs, then each key once at its value, among fillers", () => {
  const sizes = fc.record({
    pairs: fc.integer({ min: 1, max: 12 }),
    extra: fc.integer({ min: 0, max: 30 }),
    gap: fc.integer({ min: 0, max: 9 }),
    kinds: fc.integer({ min: 12, max: 40 }),
    power: fc.constantFrom(0, 0.01, 1),
    seed: fc.nat(1000),
  });
  fc.assert(
    fc.property(sizes, ({ pairs, extra, gap, kinds, power, seed }) => {
      const length = 4 * pairs + gap + extra;
      const params = { pairs, length, gap, keys: kinds, values: kinds, fillers: 3, power };
      const [{ text, reveals }] = drawn(params, 1, seed);
      const words = wordsOf(text);
      expect(words.join("")).toBe(text);
      expect(words).toHaveLength(length);
      const [begin, behind] = [words.slice(0, 2 * pairs), words.slice(2 * pairs)];
      const [fillers, rest] = [behind.slice(0, gap), behind.slice(gap)];
      expect(fillers.every((word) => word.startsWith("f"))).toBe(true);
      const valueBehind = new Map(begin.flatMap((word, i) => (i % 2 === 0 ? [[word, begin[i + 1]]] : [])));
      expect([...valueBehind.keys()].every((key) => key.startsWith("k"))).toBe(true);
      expect([...valueBehind.values()].every((value) => value.startsWith("v"))).toBe(true);
      expect(valueBehind.size).toBe(pairs);
      expect(new Set(valueBehind.values()).size).toBe(pairs);
      const again = rest.filter((word) => !word.startsWith("f"));
      expect(again.toSorted()).toEqual([...valueBehind.keys()].toSorted());
      expect(rest.every((word, i) => i % 2 === 0 || word.startsWith("f"))).toBe(true);
      expect(reveals.map(({ value }) => value)).toEqual(again.map((key) => valueBehind.get(key)));
      const before = reveals.map(({ start }) => text.slice(0, start));
      expect(before.map((each) => wordsOf(each).at(-1))).toEqual(again);
    }),
    { numRuns: 60 },
  );
});

/** The index of the place at which each key of an example returns, in the order of the pairs. */
const placesOf = (text: string, pairs: number) => {
  const words = wordsOf(text);
  return Array.from({ length: pairs }, (_, i) => (words.lastIndexOf(words[2 * i]) - 2 * pairs) / 2);
};

test.each([0.01, 1])(
  "with power %d two keys fall on places drawn one after the other, either first",
  (power) => {
    const [length, count] = [12, 6000]; // 4 places
    const seen = new Map<string, number>();
    for (const { text } of drawn({ pairs: 2, length, power }, count)) {
      const at = placesOf(text, 2).join();
      seen.set(at, (seen.get(at) ?? 0) + 1);
    }
    const weights = [1, 2, 3, 4].map((gap) => gap ** (power - 1));
    const total = weights.reduce((sum, each) => sum + each, 0);
    for (const [first, one] of weights.entries()) {
      for (const [second, other] of weights.entries()) {
        const either = ((one / total) * other) / (total - one) + ((other / total) * one) / (total - other);
        const share = first === second ? 0 : either / 2;
        const off = Math.abs((seen.get(`${first},${second}`) ?? 0) - count * share);
        expect(off).toBeLessThanOrEqual(5 * Math.sqrt(count * share * (1 - share)));
      }
    }
  },
);

test("keys and values are drawn evenly, and independently of each other", () => {
  const counts = new Map<string, number>();
  const count = 4000;
  for (const { text } of drawn({ pairs: 2, length: 8, keys: 3, values: 4 }, count)) {
    const begin = wordsOf(text).slice(0, 4).join();
    counts.set(begin, (counts.get(begin) ?? 0) + 1);
  }
  expect(counts.size).toBe(3 * 2 * 4 * 3);
  for (const each of counts.values())
    expect(Math.abs(each - count / 72)).toBeLessThan(5 * Math.sqrt(count / 72));
});

test("who knows the values in their order, but no key, is right as often as the reference says", () => {
  const [params, count] = [{ pairs: 4, length: 20 }, 4000];
  const { references } = prepareTask(mqar, params);
  const right = new Map<string, number>();
  for (const example of drawn(params, count)) {
    expect(references?.anySeen(example)).toEqual(new Array(4).fill(1 / 4));
    const values = wordsOf(example.text).filter((word) => word.startsWith("v"));
    for (const [asked, { value }] of example.reveals.entries()) {
      const which = `${asked},${values.indexOf(value)}`;
      right.set(which, (right.get(which) ?? 0) + 1);
    }
  }
  expect(right.size).toBe(16); // each question may be about each pair
  for (const each of right.values())
    expect(Math.abs(each - count / 4)).toBeLessThan(5 * Math.sqrt(count * (1 / 4) * (3 / 4)));
});

test("the gap is drawn evenly from its range; where that is one number, the texts are those of the number", () => {
  const counts = new Map<number, number>();
  const params = { pairs: 1, length: 12, power: 0 };
  for (const { text } of drawn({ ...params, gap: [2, 4], fillers: 3 }, 3000)) {
    const [place] = placesOf(text, 1);
    // With a power of 0 the g-th place has a weight of 1 / g: what is nearest has the most, and nothing is before the gap.
    counts.set(2 * place, (counts.get(2 * place) ?? 0) + 1);
  }
  const expected = new Map<number, number>();
  for (const gap of [2, 3, 4]) {
    const weights = Array.from({ length: Math.floor((10 - gap) / 2) }, (_, at) => 1 / (at + 1));
    const total = weights.reduce((sum, each) => sum + each, 0);
    for (const [at, weight] of weights.entries())
      expected.set(gap + 2 * at, (expected.get(gap + 2 * at) ?? 0) + (1000 * weight) / total);
  }
  expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual(
    [...expected.keys()].toSorted((a, b) => a - b),
  );
  for (const [place, found] of counts) {
    const share = expected.get(place)!;
    expect(Math.abs(found - share), `${place}`).toBeLessThan(5 * Math.sqrt(share));
  }
  const texts = (gap: unknown) => drawn({ ...params, gap }, 5).map(({ text }) => text);
  expect(texts([3, 3])).toEqual(texts(3));
  expect(texts(0)).toEqual(drawn(params, 5).map(({ text }) => text));
});

test("pairs that do not fit are refused", () => {
  expect(() => prepareTask(mqar, { pairs: 2, length: 12, gap: [0, 5] })).toThrow(
    "mqar: expected length of at least 13, four words for each pair and the gap of 5, got 12",
  );
  expect(() => prepareTask(mqar, { gap: [5, 4] })).toThrow("mqar: expected a range of lengths [least, most]");
  expect(() => prepareTask(mqar, { gap: -1 })).toThrow("mqar: expected gap");
  expect(() => prepareTask(mqar, { pairs: [1, 8], length: [31, 64] })).toThrow(
    "mqar: expected length of at least 32, four words for each pair, got 31",
  );
  expect(() => prepareTask(mqar, { pairs: 8, values: 7 })).toThrow(
    "mqar: expected at most 7 pairs, as many as keys or values, got 8",
  );
});
