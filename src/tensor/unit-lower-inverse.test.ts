import { describe, expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { negate } from "./arithmetic.ts";
import { check, drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { matmulNaive } from "./matmul.naive.ts";
import { filled, type Numbers } from "./naive.ts";
import { doublingInverseFloat32, unitLowerInverseNaive } from "./unit-lower-inverse.naive.ts";
import { unitLowerInverse, unitLowerSolver } from "./unit-lower-inverse.ts";

/** Over all leading axes. */
function inverses(a: Numbers): Numbers {
  const order = a.shape[a.shape.length - 1];
  const matrices = Array.from({ length: a.data.length / order ** 2 }, (_, n) =>
    unitLowerInverseNaive(rows(a.data.subarray(n * order ** 2, (n + 1) * order ** 2), order)),
  );
  return { shape: a.shape, data: Float64Array.from(matrices.flat(2)) };
}

function rows(data: ArrayLike<number>, order: number): number[][] {
  return Array.from({ length: order }, (_, i) =>
    Array.from({ length: order }, (_, j) => data[i * order + j]),
  );
}

const shapes: [number[]][] = [
  [[1, 1]],
  [[2, 3, 1, 1]],
  [[2, 2]],
  [[3, 3, 3]],
  [[2, 7, 7]],
  [[1, 1, 16, 16]],
  [[33, 33]],
];
test.each(shapes)("equals forward substitution at [%j], gradients too", (shape) =>
  check({
    name: `unitLowerInverse ${shape}`,
    inputs: [{ shape, draw: (rng) => 0.5 * rng.normal() }],
    op: unitLowerInverse,
    naive: inverses,
  }),
);

test.each(shapes)("solves at [%j] as the inverse does, gradients too", (shape) =>
  check({
    name: `unitLowerSolver ${shape}`,
    inputs: [{ shape, draw: (rng) => 0.5 * rng.normal() }, { shape: shape.with(-1, 3) }],
    op: (a, x) => unitLowerSolver(negate(a))(x),
    naive: (a, x) => matmulNaive(inverses(a), x),
  }),
);

test("the gradient is exact with beta 1.99 and one key", () =>
  check({
    name: "unitLowerInverse repeated",
    inputs: [{ shape: [33, 33], draw: () => 1.99 }],
    op: unitLowerInverse,
    naive: inverses,
  }));

/** A = tril(beta K K', -1) for keys of three swaps of the variables, or one and the same key. */
const swaps = [
  [0, 1],
  [0, 2],
  [1, 2],
];
const repeated: Record<string, (order: number, rng: Rng) => Numbers> = {
  "one key": (order) => filled([order, order], ([i, j]) => (j < i ? Math.fround(1.99) : 0)),
  "the keys of three swaps": (order, rng) => {
    const drawnSwaps = Array.from({ length: order }, () => swaps[rng.below(3)]);
    const keys = drawnSwaps.map((swap) => [0, 1, 2].map((i) => (swap[0] === i ? 1 : swap[1] === i ? -1 : 0)));
    const product = (i: number, j: number) =>
      keys[i].reduce<number>((sum, x, d) => sum + (x * keys[j][d]) / 2, 0);
    return filled([order, order], ([i, j]) => (j < i ? Math.fround(1.99 * product(i, j)) : 0));
  },
};

describe.each(Object.keys(repeated))("with beta 1.99 and %s", (name) => {
  test.each([2, 7, 32, 33, 64, 100, 128])(
    "at order %d the relative error is under 6e-5, up to 32 under 5e-6",
    async (order) => {
      const a = repeated[name](order, rngFrom(3).fork(order));
      const graph = new Graph();
      const input = graph.input("a", [order, order]);
      const r = unitLowerInverse(input);
      const { r: got } = await evaluate(graph, { r }, { a: Float32Array.from(a.data) });
      expect(relativeError(got, inverses(a).data)).toBeLessThan(order <= 32 ? 5e-6 : 6e-5);
    },
  );

  test("the doubling formula has lost everything at order 32", () => {
    const a = repeated[name](32, rngFrom(3).fork(32));
    const doubled = Float64Array.from(doublingInverseFloat32(rows(a.data, 32)).flat());
    expect(relativeError(doubled, inverses(a).data)).toBeGreaterThan(1);
  });
});

test("the doubling formula is right where powers stay small, so the failure above is one of rounding", () => {
  const a = drawn({ shape: [32, 32], draw: (rng) => 0.1 * rng.normal() }, rngFrom(8));
  const doubled = Float64Array.from(doublingInverseFloat32(rows(a.data, 32)).flat());
  expect(relativeError(doubled, inverses(a).data)).toBeLessThan(1e-5);
});

test("matrices that are not square are refused", () => {
  const graph = new Graph();
  expect(() => unitLowerInverse(graph.input("a", [2, 3]))).toThrow(
    "unitLowerInverse: expected square matrices, got [2,3]",
  );
  expect(() => unitLowerInverse(graph.input("b", [2]))).toThrow(
    "unitLowerInverse: expected square matrices, got [2]",
  );
});
