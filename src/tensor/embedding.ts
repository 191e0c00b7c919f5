/**
 * @file Rows of a table by index, and one-hot vectors.
 *
 *     y_t = W[i_t];  dW = onehot(i)' dy
 */

import { fail } from "../core/error.ts";
import { expand, reshape } from "./arithmetic.ts";
import { node, type Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";

/** Above this many rows a one-hot product costs more than scattering (measured: 8192 indices, width 128, one thread). */
const LARGE_TABLE = 256;

/** table [V, d], indices int32 [...], each in 0 .. V - 1 -> [..., d]. */
export function embedding(table: Tensor, indices: Tensor): Tensor {
  if (table.shape.length !== 2) fail("embedding", "a table of shape [V, d]", table.shape);
  const [rows, width] = table.shape;
  if (indices.dtype !== "int32") fail("embedding", "int32 indices", indices.dtype);
  return node("Gather", [table, indices], {
    shape: [...indices.shape, width],
    attributes: { axis: 0 },
    gradient: (dy) => {
      const flat = reshape(dy, [-1, width]);
      if (rows > LARGE_TABLE) return [scatterRows(reshape(indices, [-1]), flat, rows)];
      return [matmul(reshape(oneHot(indices, rows), [-1, rows]), flat, { transposeX: true })];
    },
  });
}

/** indices int32 [...] -> float32 [..., count], 1 at the index. No gradient. */
export function oneHot(indices: Tensor, count: number): Tensor {
  const classes = indices.graph.constant(
    Int32Array.from({ length: count }, (_, i) => i),
    [count],
  );
  const shape = [...indices.shape, count];
  const equal = node("Equal", [reshape(indices, [...indices.shape, 1]), classes], { shape, dtype: "bool" });
  return toFloat(equal);
}

export function toFloat(x: Tensor): Tensor {
  return node("Cast", [x], { shape: x.shape, attributes: { to: 1 } });
}

/**
 * y [rows, d] with y[i_n] = sum of dy_n over all n with that index. By ScatterElements, which goes through the elements
 * in order: ONNX Runtime's ScatterND lets its threads add to one row at once, and then loses some.
 */
function scatterRows(indices: Tensor, dy: Tensor, rows: number): Tensor {
  const shape = [rows, dy.shape[1]];
  const zeros = expand(reshape(dy.graph.scalar(0), [1, 1]), shape);
  const rowOf = expand(reshape(indices, [-1, 1]), dy.shape);
  return node("ScatterElements", [zeros, rowOf, dy], { shape, attributes: { axis: 0, reduction: "add" } });
}
