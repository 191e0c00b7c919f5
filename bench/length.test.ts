import { expect, test } from "vitest";
import { exponentOf, type LengthCell, reasonOf } from "./length.ts";

const cells = (cost: (length: number) => number): LengthCell[] =>
  [256, 512, 2048].map((length) => ({ model: "m", length, seconds: cost(length), bytes: 1 }));

test("the exponent is that of one sequence's cost", () => {
  expect(exponentOf(cells(() => 0.3))).toBeCloseTo(1, 10); // the same tokens, the same time
  expect(exponentOf(cells((length) => 1e-3 * length))).toBeCloseTo(2, 10);
  expect(exponentOf(cells((length) => 5 * length ** 0.1))).toBeCloseTo(1.1, 10);
  expect(exponentOf([...cells(() => 0.3), { model: "m", length: 4096, failed: "SIGTERM" }])).toBeCloseTo(
    1,
    10,
  );
  expect(exponentOf(cells(() => 1).slice(1, 2))).toBeUndefined();
});

test("of a process that failed the error is told, not where it was thrown", () => {
  const said =
    "file:///lab/error.js:26\n  throw new LabError(at);\n  ^\n\nLabError: model: expected 8, got 9\n  at fail (error.js:26)";
  expect(reasonOf(said)).toBe("model: expected 8, got 9");
  expect(reasonOf("terminated")).toBeUndefined();
});
