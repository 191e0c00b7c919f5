import { expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { exampleFrom, prepareTask } from "./index.ts";
import { modularArithmetic } from "./modular-arithmetic.ts";

const drawn = (params: object, count: number) => drawExamples(modularArithmetic, params, count);

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
