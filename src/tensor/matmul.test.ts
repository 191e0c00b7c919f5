import { describe, expect, test } from "vitest";
import { multiply } from "./arithmetic.ts";
import { check } from "./check.test-helper.ts";
import { Graph, liveNodes, type Shape } from "./graph.ts";
import { linearNaive, matmulNaive } from "./matmul.naive.ts";
import { linear, linearParts, matmul } from "./matmul.ts";
import type { Numbers } from "./naive.ts";
import { concat } from "./shape.ts";

const flags = [
  { transposeX: false, transposeY: false },
  { transposeX: true, transposeY: false },
  { transposeX: false, transposeY: true },
  { transposeX: true, transposeY: true },
];
/** Leading axes of x and of y, and m, k, n. */
const sizes: [Shape, Shape, [number, number, number]][] = [
  [[], [], [1, 1, 1]],
  [[], [], [3, 7, 5]],
  [[2], [2], [3, 1, 5]],
  [[2], [], [5, 3, 2]],
  [[], [3], [2, 5, 3]],
  [
    [2, 3],
    [2, 3],
    [2, 3, 4],
  ],
  [
    [2, 1],
    [1, 3],
    [3, 2, 1],
  ],
  [[3], [2, 1], [1, 5, 2]],
  [
    [2, 1, 3],
    [2, 1],
    [2, 2, 3],
  ],
  [[1], [1], [17, 33, 19]],
];

describe.each(flags)("matmul %j", (options) => {
  test.each(sizes)("equals its twin, leading axes [%j] and [%j], m, k, n = %j", (left, right, [m, k, n]) =>
    check({
      name: `matmul ${JSON.stringify(options)} ${left} ${right} ${m} ${k} ${n}`,
      inputs: [
        { shape: [...left, ...(options.transposeX ? [k, m] : [m, k])] },
        { shape: [...right, ...(options.transposeY ? [n, k] : [k, n])] },
      ],
      op: (x, y) => matmul(x, y, options),
      naive: (x, y) => matmulNaive(x, y, options),
    }),
  );
});

test.each([
  [2047, false],
  [2048, false],
  [2051, false],
  [2048, true],
])(
  "a product over %d rows, as of a weight's gradient, equals its twin; y transposed: %s",
  (rows, transposeY) =>
    check({
      name: `tall ${rows}`,
      inputs: [{ shape: [rows, 2] }, { shape: transposeY ? [3, rows] : [rows, 3] }],
      op: (x, y) => matmul(x, y, { transposeX: true, transposeY }),
      naive: (x, y) => matmulNaive(x, y, { transposeX: true, transposeY }),
    }),
);

/** x o s with a vector s. */
const scaledNaive = (x: Numbers, s: Numbers) => ({
  ...x,
  data: x.data.map((each, i) => each * s.data[i % s.data.length]),
});

test.each([
  [[2, 9, 3], 4], // more rows than columns: s goes to the weight
  [[2, 3], 4],
])(
  "a scaled x [%j] times a weight of %d columns, whole and in parts, equals its twin",
  async (shape, columns) => {
    const inputs = [{ shape }, { shape: [3] }, { shape: [3, columns] }];
    const naive = (x: Numbers, s: Numbers, w: Numbers) => linearNaive(scaledNaive(x, s), w);
    await check({ name: `scaled ${shape}`, inputs, op: (x, s, w) => linear(multiply(x, s), w), naive });
    await check({
      name: `parts ${shape}`,
      inputs,
      op: (x, s, w) => concat(linearParts(multiply(x, s), w, [1, columns - 1]), -1),
      naive,
    });
  },
);

test("a scale before a product with fewer rows is multiplied with the weight", () => {
  const graph = new Graph();
  const [s, w] = [graph.input("s", [3]), graph.input("w", [3, 4])];
  const scales = (rows: number) => {
    const x = multiply(graph.input(`x${rows}`, [rows, 3]), s);
    return liveNodes(graph, [linear(x, w)]).map(({ inputs }) => inputs.includes(w));
  };
  expect(scales(5)).toEqual([false, true, false]); // s as a column, times w, product
  expect(scales(4)).toEqual([false, true]); // times x, product
});

test("a matrix times itself transposed gets both parts of its gradient", () =>
  check({
    name: "gram",
    inputs: [{ shape: [2, 5, 3] }],
    op: (x) => matmul(x, x, { transposeY: true }),
    naive: (x) => matmulNaive(x, x, { transposeY: true }),
  }));

test.each([[[3]], [[5, 3]], [[2, 5, 3]], [[2, 1, 7, 3]]])("linear equals its twin at x %j", (shape) =>
  check({
    name: `linear ${shape}`,
    inputs: [{ shape }, { shape: [3, 7] }],
    op: linear,
    naive: linearNaive,
  }),
);

test("wrong shapes are refused by name", () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3]);
  expect(() => matmul(x, x)).toThrow('matmul: expected equal inner dimensions, got "[2,3] and [2,3]"');
  expect(() => matmul(graph.input("row", [3]), x)).toThrow("matmul: expected at least two axes, got [3]");
  expect(() => matmul(graph.input("three", [3, 4, 2]), graph.input("five", [5, 2, 4]))).toThrow(
    /that broadcast/,
  );
  expect(() => linear(x, x)).toThrow("linear: expected a weight of shape [3, n], got [2,3]");
});
