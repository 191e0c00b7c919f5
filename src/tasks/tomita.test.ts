import { describe, expect, test } from "vitest";
import { tomitaLanguages } from "../core/tomita-languages.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask } from "./index.ts";
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

const drawn = (params: object, count: number) => drawExamples(tomita, params, count, 5);

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
