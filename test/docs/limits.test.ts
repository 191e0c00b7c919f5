import { expect, test } from "vitest";
import { page, pages } from "./docs.test-helper.ts";
import { isGenerated, type Measures, measure, sentencesOf } from "./limits.test-helper.ts";

const limits: Measures = { words: 1_500, mean: 18, percentile: 35, longest: 40, heading: 10 };

/** Pages beyond a limit, with what they have: the list may only shrink. */
const beyond: Record<string, Partial<Measures>> = {};

const byHand = pages().filter((path) => !isGenerated(page(path)));

test.each(byHand)("%s is short, and so are its sentences and headings", (path) => {
  const measured = measure(page(path));
  const allowed = { ...limits, ...beyond[path] };
  const over = Object.entries(measured).filter(([what, value]) => value > allowed[what as keyof Measures]);
  expect(over).toEqual([]);
});

test("no page is allowed more than it needs", () => {
  const needless = Object.entries(beyond).flatMap(([path, allowances]) =>
    Object.entries(allowances).filter(([what, allowed]) => {
      const value = byHand.includes(path) ? measure(page(path))[what as keyof Measures] : 0;
      return value <= limits[what as keyof Measures] || Math.ceil(value) < allowed;
    }),
  );
  expect(needless).toEqual([]);
});

test("the README is one page of short sentences", () => {
  expect(page("README.md").split("\n").length).toBeLessThanOrEqual(110);
  expect(measure(page("README.md")).mean).toBeLessThanOrEqual(15);
});

test("the pages written by hand have at most 35,000 words together", () => {
  const words = byHand.map((path) => measure(page(path)).words);
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(35_000);
});

test("words are counted in prose alone, and a span of code is one", () => {
  const text = [
    "# A heading of five words",
    "One two `three and more` four. Five [six seven](x.md) eight:\nnine.",
    "- an item of\n  six words here\n- another short item",
    "| a table | is not prose |",
    "```\nnor is code, whatever it says\n```",
    "![nor an image](x.svg)",
  ].join("\n\n");
  expect(sentencesOf(text)).toEqual([4, 4, 6, 3]);
  expect(measure(text)).toMatchObject({ mean: 17 / 4, percentile: 6, longest: 6, heading: 5 });
});
