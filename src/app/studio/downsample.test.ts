import fc from "fast-check";
import { expect, test } from "vitest";
import { envelope } from "./downsample.ts";

test("the example of the header", () => {
  const values = [5, 4, 9, 3, 2, 2, 8, 1, 1, 1, 0];
  const steps = values.map((_, i) => i + 1);
  expect(envelope(steps, values, 3)).toEqual([
    [1, 3, 9],
    [5, 1, 8],
    [9, 0, 1],
  ]);
});

test("no value is lost: the extremes of all are among those of the parts, and no part is beyond them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.double({ noNaN: false }), fc.integer()), { maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (values, parts) => {
        const found = envelope([...values.keys()], values, parts);
        const finite = values.filter(Number.isFinite);
        expect(found.length).toBeLessThanOrEqual(parts);
        if (finite.length === 0) expect(found).toEqual([]);
        else {
          // -0 is drawn where 0 is.
          expect(0 + Math.min(...found.map(([, least]) => least))).toBe(0 + Math.min(...finite));
          expect(0 + Math.max(...found.map(([, , greatest]) => greatest))).toBe(0 + Math.max(...finite));
        }
      },
    ),
    { seed: -1690207666, numRuns: 300 },
  );
});
