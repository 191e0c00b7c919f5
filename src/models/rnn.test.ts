import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { numbersOf, small } from "./conformance.test-helper.ts";
import { initialParameters } from "./index.ts";

const path = "layers.0.mixer.recurrent";

/** The initial matrix of a head. */
function matrixOf(config: object, head: number, own: number): number[][] {
  const { [path]: data } = numbersOf(initialParameters(small("rnn", config), rngFrom(3)));
  const start = head * own * own;
  return Array.from({ length: own }, (_, i) => [...data.subarray(start + i * own, start + (i + 1) * own)]);
}

test.each([
  [1, 8],
  [2, 4],
])("with %d heads each head's matrix keeps the length of every vector at first", (heads, own) => {
  const all = Array.from({ length: heads }, (_, head) => matrixOf({ heads }, head, own));
  const rng = rngFrom(4);
  for (const matrix of all) {
    const h = Array.from({ length: own }, () => rng.normal());
    const after = h.map((_, j) => h.reduce((sum, each, i) => sum + each * matrix[i][j], 0));
    expect(Math.hypot(...after)).toBeCloseTo(Math.hypot(...h), 5);
    expect(after.map(Math.abs)).not.toEqual(h.map(Math.abs)); // it mixes
  }
  expect(new Set(all.map((matrix) => matrix.flat().join())).size).toBe(heads); // no two heads alike
});

test("started as the identity each unit carries 0.9 of itself, and of no other", () => {
  const wanted = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i === j ? Math.fround(0.9) : 0)));
  for (const head of [0, 1]) expect(matrixOf({ heads: 2, start: "identity" }, head, 4)).toEqual(wanted);
});
