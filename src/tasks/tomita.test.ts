import { describe, expect, test } from "vitest";
import { minimised } from "../core/moore-machine.ts";
import { tomitaLanguages } from "../core/tomita-languages.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { tomita } from "./tomita.ts";

const languages = [1, 2, 3, 4, 5, 6, 7] as const;
const membership = (language: number, text: string) => {
  const { next, accepts } = tomitaLanguages[language - 1];
  return accepts.includes([...text].reduce((state, symbol) => next[state][Number(symbol)], 0));
};
const strings = (length: number): string[] =>
  Array.from({ length: 2 ** length }, (_, n) =>
    n
      .toString(2)
      .padStart(length, "0")
      .slice(-length || undefined),
  );

/** Of each, what its name says, by other means than its automaton. */
const named: Readonly<Record<number, (text: string) => boolean>> = {
  1: (text) => /^1*$/.test(text),
  2: (text) => /^(10)*$/.test(text),
  3: (text) => !text.match(/1+0+/g)?.some((run) => run.indexOf("0") % 2 === 1 && run.length % 2 === 0),
  4: (text) => !text.includes("000"),
  5: (text) => even(text),
  6: (text) => ([...text].filter((each) => each === "0").length * 2 + text.length * 2) % 3 === 0,
  7: (text) => /^0*1*0*1*$/.test(text),
};
const even = (text: string) => [..."01"].every((symbol) => text.split(symbol).length % 2 === 1);

test.each(languages)("language %i is what it is called, for all strings to twelve symbols", (language) => {
  for (let length = 0; length <= 12; length++)
    for (const text of length === 0 ? [""] : strings(length))
      expect(membership(language, text), text).toBe(named[language](text));
});

test("each automaton is minimal; those of 3, 5 and 6 go round, in twos or threes", () => {
  const found = tomitaLanguages.map(({ next, accepts }) => {
    const output = next.map((_, state) => Number(accepts.includes(state)));
    const monoid = new Map<string, readonly number[]>();
    const queue: (readonly number[])[] = [next.map((_, state) => state)];
    for (const map of queue) {
      if (monoid.has(map.join())) continue;
      monoid.set(map.join(), map);
      for (const symbol of [0, 1]) queue.push(map.map((state) => next[state][symbol]));
    }
    const periods = [...monoid.values()].map(period);
    return [
      minimised({ start: 0, next, output }).next.length,
      next.length,
      monoid.size,
      Math.max(...periods),
    ];
  });
  const sizes = [2, 3, 5, 4, 4, 3, 5];
  expect(found.map(([minimal]) => minimal)).toEqual(sizes);
  expect(found.map(([, states]) => states)).toEqual(sizes);
  expect(found.map(([, , monoid]) => monoid)).toEqual([2, 6, 26, 12, 4, 3, 9]);
  expect(found.map((each) => each[3])).toEqual([1, 1, 2, 1, 2, 3, 1]);
});

/** After how many times more of the same word its map returns, once it has settled. */
function period(map: readonly number[]): number {
  const powers: string[] = [];
  for (let power = map; ; power = power.map((state) => map[state])) {
    const before = powers.indexOf(power.join());
    if (before >= 0) return powers.length - before;
    powers.push(power.join());
  }
}

const drawn = (params: object, count: number) => {
  const prepared = prepareTask(tomita, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(5, "train")(i)));
};

describe.each(languages)("language %i", (language) => {
  const length = 5;

  test("who only counts is right as often as the reference says", () => {
    const count = 4000;
    const examples = drawn({ language, length }, count);
    const { references } = prepareTask(tomita, { language, length });
    const said = references!.counting(examples[0]);
    for (const [at, share] of said.entries()) {
      const ones = examples.filter(({ reveals }) => reveals[at].value === "1").length / count;
      expect(Math.abs(Math.max(ones, 1 - ones) - share)).toBeLessThan(0.04);
      expect(share).toBeGreaterThanOrEqual(0.5);
    }
  });
});
