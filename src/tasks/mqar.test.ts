import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { mqar } from "./mqar.ts";

const drawn = (params: object, count: number, seed = 3) => {
  const prepared = prepareTask(mqar, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(seed, "train")(i)));
};

const wordsOf = (text: string): string[] => text.match(/[kvf]\d+/g) ?? [];

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
