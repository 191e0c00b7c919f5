import * as fc from "fast-check";
import { expect, test } from "vitest";
import { equalLiteral, sameLiteral } from "./equality.ts";
import { damagedText, encoded, hasPython, literalText, readByPython } from "./literal.test-helper.ts";
import { readLiteral } from "./literal.ts";
import type { Sequence } from "./value.ts";

const shown = (text: string) => {
  const literal = readLiteral(text);
  return literal === undefined ? null : encoded(literal);
};
const same = (a: string, b: string) => sameLiteral(readLiteral(a)!, readLiteral(b)!);

test.skipIf(!hasPython)(
  "every literal reads as CPython reads it, to the bit (skipped without python3)",
  () => {
    const texts = fc.sample(literalText, { numRuns: 1500, seed: 1 });
    const expected = readByPython(texts.map((text) => [text]));
    for (const [i, text] of texts.entries()) expect([text, shown(text)]).toEqual([text, expected[i][0]]);
    expect(expected.filter(([value]) => value === null).length).toBeLessThan(texts.length / 10);
  },
);

test.skipIf(!hasPython)(
  "what CPython refuses is refused, what it takes is taken (skipped without python3)",
  () => {
    // the ways of writing an infinity are the lab's own addition, and Unicode's names its one omission
    const texts = fc.sample(damagedText, { numRuns: 2500, seed: 2 });
    const expected = readByPython(texts.map((text) => [text]));
    for (const [i, text] of texts.entries()) expect([text, shown(text)]).toEqual([text, expected[i][0]]);
    expect(expected.filter(([value]) => value === null).length).toBeGreaterThan(texts.length / 4);
  },
);

test.skipIf(!hasPython)(
  "two literals are equal when CPython finds them so, and the same when they are of one type throughout besides (skipped without python3)",
  () => {
    const pairs = fc.sample(fc.tuple(literalText, literalText, fc.boolean()), { numRuns: 1200, seed: 3 });
    const texts = pairs.map(([a, b, twice]): [string, string] => [a, twice ? `(${a})` : b]);
    let equal = 0;
    for (const [i, [a, b, both]] of readByPython(texts).entries()) {
      if (a === null || b === null) continue;
      // the encodings differ in type or value; -0.0 and 0.0 alone are equal and encoded apart
      const zero = (text: string | boolean) =>
        String(text).replaceAll("8000000000000000", "0000000000000000");
      expect([texts[i], same(...texts[i])]).toEqual([texts[i], both && zero(a) === zero(b)]);
      expect([texts[i], equalLiteral(readLiteral(texts[i][0])!, readLiteral(texts[i][1])!)]).toEqual([
        texts[i],
        both,
      ]);
      if (both) equal++;
    }
    expect(equal).toBeGreaterThan(400);
  },
);

test.each([
  ["inf", "float('inf')"],
  ["-inf", 'float("-Infinity")'],
  ["1e999", "float('inf')"],
  ["[inf, 1]", "[float( 'inf' ), 1]"],
])("%s and %s are the same number", (a, b) => {
  expect(same(a, b)).toBe(true);
});

test.each(["nan", "float('nan')", "-nan", "[1, nan]", "{1: float('NaN')}"])(
  "%s is not the same as itself",
  (text) => {
    expect(same(text, text)).toBe(false);
  },
);

test.each([
  ["1", "True"],
  ["1", "1.0"],
  ["[1]", "(1,)"],
  ["{1}", "{1.0}"],
  ["{'a': 0}", "{'a': False}"],
  ["'a'", "b'a'"],
  ["1", "(1+0j)"],
])("%s and %s are of different types", (a, b) => {
  expect(same(a, b)).toBe(false);
});

test.each([
  ["0 or True"],
  ["f(1)"],
  ["x"],
  ["[x for x in (1,)]"],
  ["__import__('os')"],
  ["2 ** 3"],
  ["1 + 1"],
  ["--1"],
  ["-True"],
  ["f'{1}'"],
  ["'\\N{BULLET}'"],
  ["float('1')"],
  ["set([1])"],
  ["{[]}"],
  ["{1: 2, 3}"],
  ["[1,, 2]"],
  ["1 2"],
  ["'open"],
  ["'a\0'"],
  [""],
])("%j is no literal", (text) => {
  expect(readLiteral(text)).toBeUndefined();
});

test("brackets nested beyond Python's own bound, and texts beyond the lab's, are refused and not a fault", () => {
  expect(readLiteral("[".repeat(150) + "]".repeat(150))).toBeDefined();
  expect(readLiteral("[".repeat(100_000) + "]".repeat(100_000))).toBeUndefined();
  expect(readLiteral("9".repeat(300_000))).toBeUndefined();
  expect(shown("9".repeat(5000))).toBe(`int ${"9".repeat(5000)}`);
});

test.each([
  ["float of 130,000 letters", `float('${"a".repeat(130_000)}')`, undefined],
  ["float of 190,000 spaces", `float('${" ".repeat(190_000)}1')`, undefined],
  ["49,000 strings in a row", "'a' ".repeat(49_000), 49_000],
  ["49,000 strings of bytes in a row", "b'' ".repeat(49_000), 0],
])("a literal is read in time that grows with its length alone: %s", (_, text, length) => {
  const start = performance.now();
  const literal = readLiteral(text);
  // these took 10 s, or died
  expect(performance.now() - start).toBeLessThan(2000);
  const size = typeof literal === "string" ? literal.length : (literal as Sequence | undefined)?.items.length;
  expect(size).toBe(length);
});
