import { describe, expect, test } from "vitest";
import { expand, reshape } from "./arithmetic.ts";
import { type Case, check } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import {
  concatNaive,
  expandNaive,
  padNaive,
  reshapeNaive,
  sliceNaive,
  splitNaive,
  transposeNaive,
} from "./shape.naive.ts";
import { concat, pad, slice, split, transpose } from "./shape.ts";

const cases: Case[] = [
  ...([[30], [5, 6], [-1, 2], [2, 3, 5], [1, 30, 1]].map((shape) => ({
    name: `reshape to [${shape}]`,
    inputs: [{ shape: [2, 3, 5] }],
    op: (x) => reshape(x, shape),
    naive: (x) => reshapeNaive(x, shape[0] === -1 ? [15, 2] : shape),
  })) satisfies Case[]),
  {
    name: "reshape of a scalar",
    inputs: [{ shape: [] }],
    op: (x) => reshape(x, [1, 1]),
    naive: (x) => reshapeNaive(x, [1, 1]),
  },
  ...([
    [0, 1, 2],
    [2, 0, 1],
    [1, 0, 2],
    [2, 1, 0],
  ].map((order) => ({
    name: `transpose by [${order}]`,
    inputs: [{ shape: [2, 3, 5] }],
    op: (x) => transpose(x, order),
    naive: (x) => transposeNaive(x, order),
  })) satisfies Case[]),
  ...([
    [[], [3]],
    [[3], [3]],
    [
      [3, 1],
      [2, 3, 5],
    ],
    [
      [1, 1],
      [1, 7],
    ],
  ].map(([from, to]) => ({
    name: `expand [${from}] to [${to}]`,
    inputs: [{ shape: from }],
    op: (x) => expand(x, to),
    naive: (x) => expandNaive(x, to),
  })) satisfies Case[]),
  ...([
    [0, 0, 1],
    [1, 1, 3],
    [1, 0, 3],
    [2, 4, 5],
    [2, 1, 4],
  ].map(([axis, start, end]) => ({
    name: `slice ${start} to ${end} of axis ${axis}, and of the same axis counted from the end`,
    inputs: [{ shape: [2, 3, 5] }],
    op: (x) => [slice(x, axis, start, end), slice(x, axis - 3, start, end)],
    naive: (x) => [sliceNaive(x, axis, start, end), sliceNaive(x, axis, start, end)],
  })) satisfies Case[]),
  ...([
    [0, 0, 0],
    [0, 2, 0],
    [1, 0, 3],
    [1, 1, 2],
  ].map(([axis, before, after]) => ({
    name: `pad axis ${axis} by ${before} and ${after}, and the same axis counted from the end`,
    inputs: [{ shape: [3, 2] }],
    op: (x) => [pad(x, axis, before, after), pad(x, axis - 2, before, after)],
    naive: (x) => [padNaive(x, axis, before, after), padNaive(x, axis, before, after)],
  })) satisfies Case[]),
  {
    name: "concat of unequal parts in the middle",
    inputs: [{ shape: [2, 1, 3] }, { shape: [2, 4, 3] }, { shape: [2, 2, 3] }],
    op: (...parts) => concat(parts, 1),
    naive: (...parts) => concatNaive(parts, 1),
  },
  {
    name: "concat of a tensor with itself at the last axis",
    inputs: [{ shape: [3, 2] }],
    op: (x) => concat([x, x], -1),
    naive: (x) => concatNaive([x, x], 1),
  },
  { name: "concat of one part", inputs: [{ shape: [2] }], op: (x) => concat([x], 0), naive: (x) => x },
  {
    name: "split into unequal parts",
    inputs: [{ shape: [2, 7] }],
    op: (x) => split(x, -1, [1, 4, 2]),
    naive: (x) => splitNaive(x, 1, [1, 4, 2]),
  },
  {
    name: "split with one part unused",
    inputs: [{ shape: [7, 2] }],
    op: (x) => split(x, 0, [1, 4, 2])[1],
    naive: (x) => splitNaive(x, 0, [1, 4, 2])[1],
  },
];
test.each(cases)("$name equals its twin, gradients too", check);

describe("refused, with what was expected and got", () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3]);
  const five = graph.input("five", [5]);
  test.each([
    [() => reshape(x, [4]), "reshape: expected 6 elements, as in [2,3], got [4]"],
    [() => reshape(five, [-1, 2]), "reshape: expected 5 elements, as in [5], got [-1,2]"],
    [() => transpose(x, [0]), "transpose: expected an order of the 2 axes of [2,3], got [0]"],
    [() => transpose(x, [0, 0]), "transpose: expected an order of the 2 axes of [2,3], got [0,0]"],
    [() => transpose(x, [0, 2]), "transpose: expected an order of the 2 axes of [2,3], got [0,2]"],
    [() => expand(x, [2, 6]), 'expand: expected shapes that broadcast, got "[2,3] and [2,6]"'],
    [() => expand(x, [3]), "expand: expected a shape that [2,3] broadcasts to, got [3]"],
    [() => expand(x, [1, 3]), "expand: expected a shape that [2,3] broadcasts to, got [1,3]"],
    [() => slice(x, 1, 2, 4), "slice: expected 0 <= start < end <= 3 on axis 1, got [2,4]"],
    [() => slice(x, 1, 1, 1), "slice: expected 0 <= start < end <= 3 on axis 1, got [1,1]"],
    [() => slice(x, 2, 0, 1), "slice: expected an axis of [2,3], got 2"],
    [() => pad(x, 0, -1, 0), "pad: expected no fewer than 0 zeros before and after, got [-1,0]"],
    [() => pad(x, -3, 0, 0), "pad: expected an axis of [2,3], got -3"],
    [() => concat([], 0), "concat: expected at least one part, got 0"],
    [() => concat([x, five], 0), 'concat: expected shapes equal but for axis 0, got "[2,3] [5]"'],
    [() => split(x, 1, [1, 1]), "split: expected lengths that add up to 3, got [1,1]"],
    [() => split(x, 1, [2]), "split: expected lengths that add up to 3, got [2]"],
    [() => split(x, 1, [1.5, 1.5]), "split: expected lengths that add up to 3, got [1.5,1.5]"],
  ])("%s", (make, message) => {
    expect(make).toThrow(message);
  });
});
