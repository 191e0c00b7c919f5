/**
 * @file A short depthwise causal convolution over time.
 *
 *     y_t = sum_j w_j x_{t - K + 1 + j}      j = 0 .. K - 1, x = 0 before the start
 *     dx_t = sum_j w_j dy_{t + K - 1 - j},   dw_j = sum_{b,t} dy_t x_{t - K + 1 + j}
 */

import { fail } from "../core/error.ts";
import { multiply, reshape, sum } from "./arithmetic.ts";
import { node, type Tensor, withGradient } from "./graph.ts";
import { concat, pad, slice, transpose } from "./shape.ts";

/** Up to this many taps, one sum per tap is faster than one convolution with dy as its filter. */
const FEW = 8;

/** x [B, T, D], weight [K, D] -> [B, T, D]. */
export function causalConvolution(x: Tensor, weight: Tensor): Tensor {
  if (x.shape.length !== 3) fail("causalConvolution", "x of shape [B, T, D]", x.shape);
  const [, length, channels] = x.shape;
  const [taps] = weight.shape;
  if (weight.shape.length !== 2 || weight.shape[1] !== channels)
    fail("causalConvolution", `a weight of shape [K, ${channels}]`, weight.shape);
  const y = filter(x, weight, [taps - 1, 0]);
  return withGradient(y, [x, weight], (dy) => {
    if (taps > FEW) return [filter(dy, reverse(weight), [0, taps - 1]), correlation(x, dy, taps)];
    const padded = pad(x, 1, taps - 1, 0);
    const perTap = Array.from({ length: taps }, (_, j) =>
      sum(multiply(dy, slice(padded, 1, j, j + length)), { axes: [0, 1] }),
    );
    const dWeight = concat(
      perTap.map((each) => reshape(each, [1, channels])),
      0,
    );
    return [filter(dy, reverse(weight), [0, taps - 1]), dWeight];
  });
}

/** Correlates each channel of x [B, T, D] with its column of weight [K, D], with zeros before and after. */
function filter(x: Tensor, weight: Tensor, pads: readonly [number, number]): Tensor {
  const [batch, length, channels] = x.shape;
  const [taps] = weight.shape;
  const columns = reshape(transpose(weight, [1, 0]), [channels, 1, taps]);
  const y = node("Conv", [transpose(x, [0, 2, 1]), columns], {
    shape: [batch, channels, length],
    attributes: { group: channels, kernel_shape: [taps], pads },
  });
  return transpose(y, [0, 2, 1]);
}

/** dw [K, D] for x and dy [B, T, D]: correlates each channel of x with its gradient and sums over the batch. */
function correlation(x: Tensor, dy: Tensor, taps: number): Tensor {
  const [batch, length, channels] = x.shape;
  const [inputs, filters] = [x, dy].map((each) => transpose(each, [2, 0, 1])); // [D, B, T]
  const sums = node("Conv", [reshape(inputs, [1, channels * batch, length]), filters], {
    shape: [1, channels, taps],
    attributes: { group: channels, kernel_shape: [length], pads: [taps - 1, 0] },
  });
  return transpose(reshape(sums, [channels, taps]), [1, 0]);
}

function reverse(weight: Tensor): Tensor {
  const order = Int32Array.from({ length: weight.shape[0] }, (_, j) => weight.shape[0] - 1 - j);
  const indices = weight.graph.constant(order, [order.length]);
  return node("Gather", [weight, indices], { shape: weight.shape, attributes: { axis: 0 } });
}
