/**
 * @file Common parts of the naive references of diagonal systems with complex eigenvalues, in plain numbers: pairs of real and
 * imaginary part, and the gated output layer.
 *
 *     out = a o sigmoid(b),   a, b = gelu(y) W          gelu(z) = z sigmoid(1.702 z)
 */

import { linear, type Row, type Rows, sigmoid } from "./naive.ts";

export type Complex = readonly [number, number];

export const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
export const over = (x: Complex, [c, d]: Complex): Complex =>
  times(x, [c / (c * c + d * d), -d / (c * c + d * d)]);

export function gatedGelu(y: Row, W: Rows): number[] {
  const both = linear(
    y.map((each) => each * sigmoid(1.702 * each)),
    W,
  );
  return y.map((_, i) => both[i] * sigmoid(both[y.length + i]));
}
