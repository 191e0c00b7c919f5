/**
 * @file Elementwise arithmetic with NumPy broadcasting, in plain numbers.
 *
 *     z_ij = x_ij + y_j: axes are aligned at the last one, and an axis of length 1 is read again and again
 */

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

/** Where the element of the joint index stands in x: without the axes that x lacks, 0 on those it repeats. */
export function indexInto({ shape }: Numbers, index: readonly number[]): number[] {
  return index.slice(index.length - shape.length).map((i, axis) => (shape[axis] === 1 ? 0 : i));
}
