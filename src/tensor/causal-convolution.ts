/**
 * @file A short depthwise causal convolution over time.
 *
 *     y_t = sum_j w_j x_{t - K + 1 + j}      j = 0 .. K - 1, x = 0 before the start
 *     dx_t = sum_j w_j dy_{t + K - 1 - j},   dw_j = sum_{b,t} dy_t x_{t - K + 1 + j}
 */

import { fail } from "../core/error.ts";
import { expand, integers, reshape } from "./arithmetic.ts";
import { node, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { concat, transpose } from "./shape.ts";

/** Up to this many taps, one sum per tap is faster than one convolution with dy as its filter. */
const FEW = 8;

/** x [B, T, D], weight [K, D] -> [B, T, D]. */
export function causalConvolution(x: Tensor, weight: Tensor): Tensor {
  if (x.shape.length !== 3) fail("causalConvolution", "x of shape [B, T, D]", x.shape);
  const [, , channels] = x.shape;
  const [taps] = weight.shape;
  if (weight.shape.length !== 2 || weight.shape[1] !== channels)
    fail("causalConvolution", `a weight of shape [K, ${channels}]`, weight.shape);
  const rows = channelsFirst(x);
  const filters = transpose(weight, [1, 0]); // [D, K]
  const y = withGradient(filter(rows, filters, [taps - 1, 0]), [rows, filters], (dy) => [
    filter(dy, reverse(filters), [0, taps - 1]),
    taps > FEW ? correlation(rows, dy, taps) : sumsPerTap(rows, dy, taps),
  ]);
  return transpose(y, [1, 2, 0]);
}

/** x [B, T, D] -> [D, B, T]. A product X W becomes W' X', which leaves nothing to exchange. */
function channelsFirst(x: Tensor): Tensor {
  const { graph, shape } = x;
  const [batch, length, channels] = shape;
  const reshaped = graph.producer(x);
  const product = reshaped?.op === "Reshape" ? graph.producer(reshaped.inputs[0]) : undefined;
  if (product?.op !== "MatMul" || product.outputs[0].shape.length !== 2) return transpose(x, [2, 0, 1]);
  const [rows, weight] = product.inputs;
  return reshape(matmul(weight, rows, { transposeX: true, transposeY: true }), [channels, batch, length]);
}

/** Correlates each channel of x [D, B, T] with its row of filters [D, K], with zeros before and after. */
function filter(x: Tensor, filters: Tensor, pads: readonly [number, number]): Tensor {
  const [channels, batch, length] = x.shape;
  const [, taps] = filters.shape;
  const group = channels * batch;
  const each = expand(reshape(filters, [channels, 1, taps]), [channels, batch, taps]);
  const y = node("Conv", [reshape(x, [1, group, length]), reshape(each, [group, 1, taps])], {
    shape: [1, group, length],
    attributes: { group, kernel_shape: [taps], pads },
  });
  return reshape(y, x.shape);
}

/** The gradient of the filters [D, K] for x and dy [D, B, T]: one dot product for each channel and tap. */
function sumsPerTap(x: Tensor, dy: Tensor, taps: number): Tensor {
  const [channels, , length] = x.shape;
  const row = (each: Tensor) => reshape(each, [channels, 1, -1]);
  const sums = Array.from({ length: taps }, (_, j) => {
    const delay = Math.min(taps - 1 - j, length);
    // One node for the zeros before and the cut after.
    const delayed = () =>
      node("Pad", [x, integers(x.graph, [0, 0, delay, 0, 0, -delay])], { shape: x.shape });
    return matmul(row(dy), row(delay === 0 ? x : delayed()), { transposeY: true });
  });
  return reshape(concat(sums, 2), [channels, taps]);
}

/** The same as a convolution with dy as its filters. */
function correlation(x: Tensor, dy: Tensor, taps: number): Tensor {
  const [channels, batch, length] = x.shape;
  const sums = node("Conv", [reshape(x, [1, channels * batch, length]), dy], {
    shape: [1, channels, taps],
    attributes: { group: channels, kernel_shape: [length], pads: [taps - 1, 0] },
  });
  return reshape(sums, [channels, taps]);
}

/** filters [D, K], each in reverse order. */
function reverse(filters: Tensor): Tensor {
  const [, taps] = filters.shape;
  const order = Int32Array.from({ length: taps }, (_, j) => taps - 1 - j);
  return node("Gather", [filters, filters.graph.constant(order, [taps])], {
    shape: filters.shape,
    attributes: { axis: 1 },
  });
}
