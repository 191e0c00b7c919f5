/**
 * @file Batched matrix products, with either operand transposed.
 *
 *     Y = X W;  dX = dY W',  dW = X' dY
 */

import { fail } from "../core/error.ts";
import { broadcast, multiply, reshape, sumTo } from "./arithmetic.ts";
import { node, type Shape, size, type Tensor } from "./graph.ts";
import { split, transpose } from "./shape.ts";

/** From this number of rows, an explicit transpose before the product takes 0.8 to 0.97 of the time of Gemm's transA. */
const TALL = 2048;

export interface MatmulOptions {
  /** Use x' (its last two axes exchanged). */
  readonly transposeX?: boolean;
  readonly transposeY?: boolean;
}

/** x [..., m, k], y [..., k, n] -> [..., m, n]; the leading axes broadcast. */
export function matmul(x: Tensor, y: Tensor, options: MatmulOptions = {}): Tensor {
  const { transposeX = false, transposeY = false } = options;
  const [m, kx] = matrix(x.shape, transposeX);
  const [ky, n] = matrix(y.shape, transposeY);
  if (kx !== ky) fail("matmul", "equal inner dimensions", `[${x.shape}] and [${y.shape}]`);
  const batch = broadcast("matmul", x.shape.slice(0, -2), y.shape.slice(0, -2));
  const shape = [...batch, m, n];
  if (transposeX && shape.length === 2 && kx >= TALL && !x.graph.portable) {
    return transposeY ? exchanged(matmul(y, x)) : matmul(exchanged(x), y);
  }
  const gradient = (dz: Tensor) => [
    sumTo(
      transposeX
        ? matmul(y, dz, { transposeX: transposeY, transposeY: true })
        : matmul(dz, y, { transposeY: !transposeY }),
      x.shape,
    ),
    sumTo(
      transposeY
        ? matmul(dz, x, { transposeX: true, transposeY: transposeX })
        : matmul(x, dz, { transposeX: !transposeX }),
      y.shape,
    ),
  ];
  if (x.graph.portable) {
    const inputs = [transposeX ? swapLast(x) : x, transposeY ? swapLast(y) : y];
    return node("MatMul", inputs, { shape });
  }
  if (!transposeX && !transposeY) return node("MatMul", [x, y], { shape, gradient });
  if (shape.length === 2) {
    const attributes = { transA: Number(transposeX), transB: Number(transposeY) };
    return node("Gemm", [x, y], { shape, attributes, gradient });
  }
  const attributes = { transA: Number(transposeX), transB: Number(transposeY) };
  return node("FusedMatMul", [x, y], { domain: "com.microsoft", shape, attributes, gradient });
}

/**
 * x [..., d], weight [d, n] -> [..., n]: one product over all leading axes at once. If x = y o s with a vector s, and has more rows than
 * the weight has columns, s multiplies the rows of the weight instead.
 */
export function linear(x: Tensor, weight: Tensor): Tensor {
  const width = x.shape.at(-1)!;
  if (weight.shape.length !== 2 || weight.shape[0] !== width) {
    fail("linear", `a weight of shape [${width}, n]`, weight.shape);
  }
  const shape = [...x.shape.slice(0, -1), weight.shape[1]];
  const [y, s] = x.graph.producer(x)?.op === "Mul" ? x.graph.producer(x)!.inputs : [];
  if (s?.shape.join() === `${width}` && size(shape) > weight.shape[1] ** 2)
    return linear(y, multiply(weight, reshape(s, [width, 1])));
  return reshape(matmul(reshape(x, [-1, width]), weight), shape);
}

/** The parts of linear(x, weight) of the given widths; cuts the weight if that is smaller than the product. */
export function linearParts(x: Tensor, weight: Tensor, widths: readonly number[]): readonly Tensor[] {
  if (size(x.shape) <= weight.shape[0] ** 2) return split(linear(x, weight), -1, widths);
  return split(weight, -1, widths).map((part) => linear(x, part));
}

function matrix(shape: Shape, transposed: boolean): readonly [rows: number, columns: number] {
  if (shape.length < 2) fail("matmul", "at least two axes", shape);
  const [rows, columns] = shape.slice(-2);
  return transposed ? [columns, rows] : [rows, columns];
}

/** x' of a matrix, as a slice of a batch of one, because ONNX Runtime would fuse a plain Transpose into the product. */
function exchanged(x: Tensor): Tensor {
  const [rows, columns] = x.shape;
  return reshape(transpose(reshape(x, [1, rows, columns]), [0, 2, 1]), [columns, rows]);
}

/** The last two axes exchanged. */
export function swapLast(x: Tensor): Tensor {
  const rank = x.shape.length;
  return transpose(x, [...Array(rank - 2).keys(), rank - 1, rank - 2]);
}
