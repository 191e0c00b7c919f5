import fc from "fast-check";
import { expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { modularArithmetic } from "./modular-arithmetic.ts";

const drawn = (params: object, count: number) => {
  const prepared = prepareTask(modularArithmetic, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(3, "train")(i)));
};

/** By precedence: products first, then sums, each term with the sign before it. */
function evaluate(expression: string, modulus: number): number {
  const terms = expression.match(/[+-]?[^+-]+/g) ?? [];
  const value = (term: string) =>
    term
      .replace(/[+-]/, "")
      .split("*")
      .reduce((product, digit) => product * Number(digit), term[0] === "-" ? -1 : 1);
  const sum = terms.reduce((total, term) => total + value(term), 0);
  return ((sum % modulus) + modulus) % modulus;
}

test("the published examples come out as published", () => {
  for (const published of ["1+2*3=2", "1-1-1=4", "0*1+4*3-2=0"]) {
    const symbols = [...published.split("=")[0]];
    const draws = [
      0,
      ...symbols.map((symbol) => ("+-*".includes(symbol) ? "+-*".indexOf(symbol) : Number(symbol))),
    ];
    const scripted: Rng = { ...rngFrom(0), below: () => draws.shift() ?? 0 };
    const prepared = prepareTask(modularArithmetic, { length: symbols.length });
    expect(exampleFrom(prepared, scripted).text).toBe(published);
  }
});

test("the value behind = and every state are those of an evaluator that splits the text", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 10 }),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(),
      (modulus, length, seed) => {
        const prepared = prepareTask(modularArithmetic, { modulus, length });
        const { text, states } = exampleFrom(prepared, rngFrom(seed));
        const [expression, value] = text.split("=");
        expect(Number(value)).toBe(evaluate(expression, modulus));
        for (const { end, values } of states) {
          expect(Number(values.value)).toBe(evaluate(text.slice(0, end), modulus));
        }
      },
    ),
    { seed: 5, numRuns: 200 },
  );
});

test("expressions have odd lengths, even ones taken as one less, and use all numbers and operators evenly", () => {
  const lengths = new Map<number, number>();
  const symbols = new Map<string, number>();
  for (const { text } of drawn({ length: [3, 8] }, 3000)) {
    const { length } = text.slice(0, -2);
    lengths.set(length, (lengths.get(length) ?? 0) + 1);
    for (const symbol of text.slice(0, -2)) symbols.set(symbol, (symbols.get(symbol) ?? 0) + 1);
  }
  expect([...lengths.keys()].toSorted()).toEqual([3, 5, 7]);
  for (const count of lengths.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(667));
  const even = (names: string) => {
    const counts = [...names].map((name) => symbols.get(name) ?? 0);
    const mean = counts.reduce((a, b) => a + b, 0) / counts.length;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
  };
  even("01234");
  even("+-*");
});

test("the windowed reference is the share of the likeliest value in a count over all beginnings", () => {
  const { references } = prepareTask(modularArithmetic, { length: 5, modulus: 3 }); // W = 2 operators
  const digits = ["0", "1", "2"];
  for (const example of drawn({ length: 9, modulus: 3 }, 30)) {
    const end = example.text.slice(5, 9); // the last two operators with their numbers
    let beginnings = digits;
    for (let i = 0; i < 2; i++) {
      beginnings = beginnings.flatMap((text) =>
        [..."+-*"].flatMap((operator) => digits.map((digit) => text + operator + digit)),
      );
    }
    const counts = [0, 0, 0];
    for (const beginning of beginnings) counts[evaluate(beginning + end, 3)]++;
    expect(references?.windowedBayes(example)[0]).toBeCloseTo(Math.max(...counts) / beginnings.length, 12);
  }
  for (const example of drawn({ length: 5, modulus: 3 }, 5))
    expect(references?.windowedBayes(example)).toEqual([1]);
});
