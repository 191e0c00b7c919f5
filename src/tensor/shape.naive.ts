/** @file Changes of shape, in plain numbers: the source of each element of the result. */

import { indexInto } from "./arithmetic.naive.ts";
import { at, filled, type Numbers } from "./naive.ts";

export function reshapeNaive(x: Numbers, shape: readonly number[]): Numbers {
  return { shape, data: x.data };
}

/** y's axis i is x's axis order[i]. */
export function transposeNaive(x: Numbers, order: readonly number[]): Numbers {
  const shape = order.map((axis) => x.shape[axis]);
  return filled(shape, (index) =>
    at(
      x,
      order.map((_, axis) => index[order.indexOf(axis)]),
    ),
  );
}

export function expandNaive(x: Numbers, shape: readonly number[]): Numbers {
  return filled(shape, (index) => at(x, indexInto(x, index)));
}

export function sliceNaive(x: Numbers, axis: number, start: number, end: number): Numbers {
  return filled(x.shape.with(axis, end - start), (index) => at(x, index.with(axis, index[axis] + start)));
}

export function padNaive(x: Numbers, axis: number, before: number, after: number): Numbers {
  const length = x.shape[axis];
  return filled(x.shape.with(axis, before + length + after), (index) => {
    const i = index[axis] - before;
    return i >= 0 && i < length ? at(x, index.with(axis, i)) : 0;
  });
}

export function concatNaive(parts: readonly Numbers[], axis: number): Numbers {
  const total = parts.reduce((sum, { shape }) => sum + shape[axis], 0);
  return filled(parts[0].shape.with(axis, total), (index) => {
    let i = index[axis];
    for (const part of parts) {
      if (i < part.shape[axis]) return at(part, index.with(axis, i));
      i -= part.shape[axis];
    }
    throw new RangeError(`[${index}] lies behind the last part`);
  });
}

export function splitNaive(x: Numbers, axis: number, lengths: readonly number[]): Numbers[] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return sliceNaive(x, axis, start - length, start);
  });
}
