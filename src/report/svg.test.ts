/** @file The builder against a strict reader: nothing that goes in as a string comes out as markup. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMarkup, textOf } from "./markup.test-helper.ts";
import { element, styleSheet } from "./svg.ts";

describe("element", () => {
  test("any writable string comes back from text and attribute as it was", () => {
    const writable = fc
      .string({ unit: "grapheme" })
      .filter((text) => !/(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/u.test(text));
    fc.assert(
      fc.property(writable, writable, (text, title) => {
        const node = readMarkup(element("p", { title }, text).text);
        expect(textOf(node)).toBe(text);
        expect(node.attributes).toEqual({ title });
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("any string of code units at all gives markup that XML can hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const written = element("p", { title: text }, text, "\uD800", "\u0000").text;
        expect(written).not.toMatch(/\p{Surrogate}/u);
        expect(readMarkup(written).tag).toBe("p");
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("an event handler is not an attribute", () => {
    expect(() => element("p", { onclick: "alert(1)" })).toThrow("not an attribute name");
    expect(() => element("p", { 'a="" onclick': "alert(1)" })).toThrow("not an attribute name");
  });

  test("a coordinate that is not finite is refused", () => {
    expect(() => element("circle", { r: Number.NaN })).toThrow("finite");
    expect(() => element("circle", { r: Number.POSITIVE_INFINITY })).toThrow("finite");
  });

  test("numbers keep two decimals and strings all of them", () => {
    expect(element("circle", { cx: 1 / 3, cy: -0.001, r: "0.3333" }).text.trim()).toBe(
      '<circle cx="0.33" cy="0" r="0.3333"/>',
    );
  });

  test("a forged object is not markup", () => {
    const forged = { text: "<script>", toString: () => "<script>" } as unknown as string;
    expect(element("p", {}, forged).text.trim()).toBe("<p>&lt;script&gt;</p>");
  });
});

test("a style sheet cannot end its own element", () => {
  expect(() => styleSheet("p{}</style><p>")).toThrow("style");
});
