/** @file Sums and means over axes, in plain numbers. */

import type { ReduceOptions } from "./arithmetic.ts";
import { at, filled, type Numbers } from "./naive.ts";

export function sumNaive(x: Numbers, { axes, keep = false }: ReduceOptions = {}): Numbers {
  const rank = x.shape.length;
  const reduced = axes?.map((axis) => (axis < 0 ? axis + rank : axis)) ?? [...x.shape.keys()];
  const kept = x.shape.map((length, axis) => (reduced.includes(axis) ? 1 : length));
  const data = filled(kept, () => 0).data;
  // Visits every element of x and adds it to the one place that it belongs to.
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
