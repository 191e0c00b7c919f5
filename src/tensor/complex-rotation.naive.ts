/** @file Rotations by angles, and cumulative angles, in plain numbers. */

import { at, filled, type Numbers } from "./naive.ts";

/** x [n, N], angle [n, R] -> [n, N]: pairs (i, i + R) as complex numbers, times e^(i p). */
export function turnedNaive(x: Numbers, angle: Numbers): Numbers {
  const [, pairs] = angle.shape;
  return filled(x.shape, ([row, i]) => {
    if (i >= 2 * pairs) return at(x, [row, i]);
    const p = at(angle, [row, i % pairs]);
    const [real, imaginary] = [at(x, [row, i % pairs]), at(x, [row, (i % pairs) + pairs])];
    return i < pairs
      ? real * Math.cos(p) - imaginary * Math.sin(p)
      : real * Math.sin(p) + imaginary * Math.cos(p);
  });
}

/** angle [T, n] -> cosine and sine of its running sum, since the sum is defined only modulo 2 pi. */
export function runningAngleNaive(angle: Numbers): readonly [Numbers, Numbers] {
  const sums = filled(angle.shape, ([t, i]) => {
    let total = 0;
    for (let s = 0; s <= t; s++) total += at(angle, [s, i]);
    return total;
  });
  return [
    { shape: sums.shape, data: sums.data.map(Math.cos) },
    { shape: sums.shape, data: sums.data.map(Math.sin) },
  ];
}
