/** @file The marked trace against the sample it came from. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { fixture } from "./fixture.test-helper.ts";
import { all, readMarkup, textOf, withClass } from "./markup.test-helper.ts";
import { sampleTrace } from "./sample.ts";

test("the marked words are the answers of the sample, in order", () => {
  const { sample } = fixture();
  const marks = all(readMarkup(sampleTrace(sample).text), "mark").map(textOf);
  expect(marks).toEqual(sample.reveals.map(({ answer }) => answer));
  expect(marks).toHaveLength(3);
});

test("without its notes the trace is the sample, letter for letter, wherever the reveals are", () => {
  const sampleOf = fc
    .tuple(fc.stringMatching(/^[ab<&\n]{0,60}$/), fc.uniqueArray(fc.nat(60), { maxLength: 12 }))
    .map(([text, cuts]) => {
      const bounds = cuts.filter((cut) => cut <= text.length).toSorted((a, b) => a - b);
      const reveals = bounds.flatMap((start, i) =>
        i % 2 === 0 && bounds[i + 1] !== undefined ? [{ start, end: bounds[i + 1]!, answer: "x" }] : [],
      );
      return { text, reveals };
    });
  fc.assert(
    fc.property(sampleOf, (sample) => {
      const pre = readMarkup(sampleTrace(sample).text);
      const notes = withClass(pre, "note").map(textOf);
      const text = notes.reduce((rest, note) => rest.replace(note, ""), textOf(pre));
      expect(text).toBe(sample.text);
      expect(all(pre, "mark")).toHaveLength(sample.reveals.length);
    }),
    { seed: 6, numRuns: 300 },
  );
});

test("several reveals on one line share one note", () => {
  const text = "a 1 b 2\nc 3\n";
  const reveals = [2, 6, 10].map((start) => ({ start, end: start + 1, answer: text[start]! }));
  const pre = readMarkup(sampleTrace({ text, reveals }).text);
  expect(withClass(pre, "note").map(textOf)).toEqual([
    "\u2190 the model must predict this",
    "\u2190 and this",
  ]);
});

test("a state that is asked for and not written stands dashed behind its word, the text as it is", () => {
  const reveals = [1, 2, 3].map((at) => ({ start: at, end: at, answer: String(at % 2) }));
  const pre = readMarkup(sampleTrace({ text: "101", reveals }).text);
  expect(withClass(pre, "asked").map(textOf)).toEqual(["1", "0", "1"]);
  expect(textOf(pre)).toBe("110011\u2190 dashed: predicted, not in the text");
});

test.each([
  ["past the end", [{ start: 1, end: 9, answer: "b" }]],
  [
    "across another",
    [
      { start: 0, end: 2, answer: "ab" },
      { start: 1, end: 3, answer: "bc" },
    ],
  ],
  ["empty", [{ start: 1, end: 1, answer: "" }]],
])("a reveal %s is refused", (_, reveals) => {
  expect(() => sampleTrace({ text: "abc", reveals })).toThrow(LabError);
});
