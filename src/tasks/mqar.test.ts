import { expect, test } from "vitest";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";
import { mqar } from "./mqar.ts";

const drawn = (params: object, count: number) => drawExamples(mqar, params, count);

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
