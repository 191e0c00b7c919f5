import fc from "fast-check";
import { expect, test } from "vitest";
import { type Precision, precisions, roundedTo, smallestNormal, smallestPositive } from "./half-precision.ts";

/** Every non-negative number of a 16-bit format, in order, read from its bits. */
function allNumbers(fractionBits: number, bias: number): number[] {
  const infinity = (2 ** (15 - fractionBits) - 1) << fractionBits;
  return Array.from({ length: infinity }, (_, bits) => {
    const exponent = bits >> fractionBits;
    const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
    return exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  });
}

const sixteen = { float16: allNumbers(10, 15), bfloat16: allNumbers(7, 127) } as const;

test.each(["float16", "bfloat16"] as const)(
  "%s: what it holds stays, and midpoints go to the even one",
  (name) => {
    const round = roundedTo(name);
    const numbers = sixteen[name];
    const wrong = numbers.filter((x, bits) => {
      if (round(x) !== x || !Object.is(round(-x), -x)) return true;
      const next = numbers[bits + 1];
      if (next === undefined) return false;
      const middle = x + (next - x) / 2;
      const nudge = (next - x) / 1024;
      const even = bits % 2 === 0 ? x : next;
      return round(middle) !== even || round(middle - nudge) !== x || round(middle + nudge) !== next;
    });
    expect(wrong).toEqual([]);
  },
);

test.each(["float16", "bfloat16"] as const)("%s: of any number no other one is nearer", (name) => {
  const round = roundedTo(name);
  const numbers = sixteen[name];
  const largest = numbers[numbers.length - 1];
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (x) => {
      const got = Math.abs(round(x));
      if (got > largest) {
        const beyond = largest + (largest - numbers[numbers.length - 2]) / 2;
        expect(Math.abs(x)).toBeGreaterThanOrEqual(beyond);
        return;
      }
      const at = numbers.indexOf(got);
      expect(at).toBeGreaterThanOrEqual(0);
      const error = Math.abs(Math.abs(x) - got);
      for (const other of [numbers[at - 1], numbers[at + 1]]) {
        if (other !== undefined) expect(error).toBeLessThanOrEqual(Math.abs(Math.abs(x) - other));
      }
    }),
    { numRuns: 3000, seed: 1 },
  );
});

test("the largest numbers: 65504 stays, 65519.9 goes down to it, 65520 is infinite; signs are kept", () => {
  const half = roundedTo("float16");
  expect([65504, 65519.9, 65520, -65520, 1e300].map(half)).toEqual([
    65504,
    65504,
    Infinity,
    -Infinity,
    Infinity,
  ]);
  expect([half(-1e-9), half(-0), half(Number.NaN)]).toEqual([-0, -0, Number.NaN]);
  expect(roundedTo("bfloat16")(3.4e38)).toBe(Infinity);
  expect(roundedTo("bfloat16")(3.3e38)).toBeLessThan(3.4e38);
});

/** Literals of the standard, written out. */
const limits: Record<Precision, [normal: number, positive: number]> = {
  float64: [2.2250738585072014e-308, Number.MIN_VALUE],
  float32: [1.1754943508222875e-38, 1.401298464324817e-45],
  bfloat16: [1.1754943508222875e-38, 9.183549615799121e-41],
  float16: [0.00006103515625, 5.9604644775390625e-8],
};

test.each(precisions)("%s: the smallest number stays, and half of it is zero", (name) => {
  expect([smallestNormal(name), smallestPositive(name)]).toEqual(limits[name]);
  const round = roundedTo(name);
  expect(round(smallestPositive(name))).toBe(smallestPositive(name));
  expect(round(smallestPositive(name) / 2)).toBe(0);
});
