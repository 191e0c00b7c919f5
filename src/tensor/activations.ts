/**
 * @file Elementwise activation functions.
 *
 *     sigmoid s = 1 / (1 + e^-x), ds = s (1 - s);   tanh t, dt = 1 - t^2;   exp e, de = e;   log, 1/x
 *     sin, d sin = cos;   cos, d cos = -sin
 *     silu y = x s(x), dy = s + y (1 - s);   softplus log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), s(x)
 */

import { add, divide, multiply, negate, scale, shift, subtract } from "./arithmetic.ts";
import { node, size, type Tensor, withGradient } from "./graph.ts";
import { absolute } from "./maximum.ts";
import { transpose } from "./shape.ts";

/** From so many numbers, ONNX Runtime's Softplus (10 ns each) is slower than its equation in other ops. */
const MANY = 1000;

export function sigmoid(x: Tensor): Tensor {
  return pointwise("Sigmoid", x, (dy, y) => multiply(dy, subtract(y, multiply(y, y))));
}

export function tanh(x: Tensor): Tensor {
  return pointwise("Tanh", x, (dy, y) => subtract(dy, multiply(dy, multiply(y, y))));
}

export function exp(x: Tensor): Tensor {
  return pointwise("Exp", x, (dy, y) => multiply(dy, y));
}

export function log(x: Tensor): Tensor {
  return pointwise("Log", x, (dy) => divide(dy, x));
}

export function sqrt(x: Tensor): Tensor {
  return pointwise("Sqrt", x, (dy, y) => scale(divide(dy, y), 0.5));
}

export function softplus(x: Tensor): Tensor {
  if (size(x.shape) < MANY) return pointwise("Softplus", x, (dy) => multiply(dy, sigmoid(x)));
  const positive = node("Relu", [x], { shape: x.shape });
  const y = add(positive, log(shift(exp(negate(absolute(x))), 1)));
  return withGradient(y, [x], (dy) => [multiply(dy, sigmoid(x))]);
}

export function sin(x: Tensor): Tensor {
  return pointwise("Sin", x, (dy) => multiply(dy, cos(x)));
}

export function cos(x: Tensor): Tensor {
  return pointwise("Cos", x, (dy) => negate(multiply(dy, sin(x))));
}

/** x sigmoid(x); of an exchanged x the exchanged silu, so that an op that follows finds the exchange. */
export function silu(x: Tensor): Tensor {
  const exchange = x.graph.producer(x);
  if (exchange?.op === "Transpose")
    return transpose(silu(exchange.inputs[0]), exchange.attributes.perm as readonly number[]);
  const s = sigmoid(x);
  const y = multiply(x, s);
  return withGradient(y, [x], (dy) => [multiply(dy, add(s, multiply(y, subtract(x.graph.scalar(1), s))))]);
}

function pointwise(op: string, x: Tensor, gradient: (dy: Tensor, y: Tensor) => Tensor): Tensor {
  return node(op, [x], { shape: x.shape, gradient: (dy, y) => [gradient(dy, y)] });
}
