import fc from "fast-check";
import { expect, test } from "vitest";
import { fromHalf, toHalf } from "./float16.ts";

test("every number of 16 bits comes back as itself", () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    if (((bits >> 10) & 31) === 31) continue; // infinities and what is no number
    expect(toHalf(fromHalf(bits))).toBe(bits);
  }
});

test("any other becomes the nearest: neither neighbour is nearer", () => {
  expect([1, -2, 65_504, 2 ** -24, 0.1].map(toHalf)).toEqual([0x3c00, 0xc000, 0x7bff, 1, 0x2e66]); // IEEE 754's own
  fc.assert(
    fc.property(fc.double({ min: -65_000, max: 65_000, noNaN: true }), (value) => {
      const bits = toHalf(value);
      const error = Math.abs(fromHalf(bits) - value);
      for (const neighbour of [bits - 1, bits + 1])
        if ((neighbour & 0x7fff) < 0x7c00 && neighbour >= 0)
          expect(Math.abs(fromHalf(neighbour) - value)).toBeGreaterThanOrEqual(error);
    }),
  );
});

test("what does not fit is refused", () => {
  expect(() => toHalf(70_000)).toThrow("65504");
  expect(() => toHalf(Number.NaN)).toThrow("65504");
});
