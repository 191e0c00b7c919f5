/** @file Batched matrix products, in plain numbers: z_ij = sum_l x_il y_lj, with either factor transposed. */

import { indexInto } from "./arithmetic.naive.ts";
import type { MatmulOptions } from "./matmul.ts";
import { at, filled, type Numbers } from "./naive.ts";

/** x [..., m, k], y [..., k, n] -> [..., m, n]; leading axes broadcast. */
export function matmulNaive(x: Numbers, y: Numbers, options: MatmulOptions = {}): Numbers {
  const left = options.transposeX ? transposed(x) : x;
  const right = options.transposeY ? transposed(y) : y;
  const inner = left.shape[left.shape.length - 1];
  const rank = Math.max(left.shape.length, right.shape.length);
  const batch = Array.from({ length: rank - 2 }, (_, axis) => {
    const [a, b] = [left, right].map(({ shape }) => shape[axis - rank + shape.length] ?? 1);
    return Math.max(a, b);
  });
  const [m, n] = [left.shape[left.shape.length - 2], right.shape[right.shape.length - 1]];
  return filled([...batch, m, n], (index) => {
    const [i, j] = index.slice(-2);
    // The inner axis does not broadcast: its position is inserted after the batch axes are resolved.
    const rowsOf = indexInto(left, index).slice(0, -2);
    const columnsOf = indexInto(right, index).slice(0, -2);
    let sum = 0;
    for (let l = 0; l < inner; l++) sum += at(left, [...rowsOf, i, l]) * at(right, [...columnsOf, l, j]);
    return sum;
  });
}

/** x [..., d], weight [d, n] -> [..., n]. */
export function linearNaive(x: Numbers, weight: Numbers): Numbers {
  const [width, n] = weight.shape;
  return filled([...x.shape.slice(0, -1), n], (index) => {
    let sum = 0;
    for (let l = 0; l < width; l++)
      sum += at(x, [...index.slice(0, -1), l]) * at(weight, [l, index[index.length - 1]]);
    return sum;
  });
}

function transposed(x: Numbers): Numbers {
  const [rows, columns] = x.shape.slice(-2);
  return filled([...x.shape.slice(0, -2), columns, rows], (index) => {
    const [i, j] = index.slice(-2);
    return at(x, [...index.slice(0, -2), j, i]);
  });
}
