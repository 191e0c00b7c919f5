/**
 * @file Elementwise arithmetic with NumPy broadcasting, in plain numbers.
 *
 *     z_ij = x_ij + y_j: axes are aligned at the last one, and axes of length 1 are repeated
 */

import type { ReduceOptions } from "./arithmetic.ts";
import { at, filled, type Numbers } from "./naive.ts";

/** combine(x, y) at every index of the joint shape. */
export function elementwiseNaive(x: Numbers, y: Numbers, combine: (x: number, y: number) => number): Numbers {
  return filled(jointShape(x.shape, y.shape), (index) =>
    combine(at(x, indexInto(x, index)), at(y, indexInto(y, index))),
  );
}

function jointShape(x: readonly number[], y: readonly number[]): number[] {
  const longer = x.length > y.length ? x : y;
  return longer.map((_, axis) => {
    const fromEnd = longer.length - axis;
    return Math.max(x[x.length - fromEnd] ?? 1, y[y.length - fromEnd] ?? 1);
  });
}

/** The position in x of an element of the joint index: drops axes that x lacks, 0 on repeated ones. */
export function indexInto({ shape }: Numbers, index: readonly number[]): number[] {
  return index.slice(index.length - shape.length).map((i, axis) => (shape[axis] === 1 ? 0 : i));
}

export function sumNaive(x: Numbers, { axes, keep = false }: ReduceOptions = {}): Numbers {
  const rank = x.shape.length;
  const reduced = axes?.map((axis) => (axis < 0 ? axis + rank : axis)) ?? [...x.shape.keys()];
  const kept = x.shape.map((length, axis) => (reduced.includes(axis) ? 1 : length));
  const data = filled(kept, () => 0).data;
  // Adds every element of x to its place in the result.
  filled(x.shape, (index) => {
    const place = kept.reduce(
      (offset, length, axis) => offset * length + (length === 1 ? 0 : index[axis]),
      0,
    );
    data[place] += at(x, index);
    return 0;
  });
  return { shape: keep ? kept : x.shape.filter((_, axis) => !reduced.includes(axis)), data };
}

export function meanNaive(x: Numbers, options: ReduceOptions = {}): Numbers {
  const sums = sumNaive(x, options);
  const count = x.data.length / sums.data.length;
  return { shape: sums.shape, data: sums.data.map((each) => each / count) };
}

export function cumulativeSumNaive(x: Numbers, axis: number): Numbers {
  const along = axis < 0 ? axis + x.shape.length : axis;
  return filled(x.shape, (index) => {
    let total = 0;
    for (let i = 0; i <= index[along]; i++) total += at(x, index.with(along, i));
    return total;
  });
}
