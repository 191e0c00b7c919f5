/**
 * @file Rotary positions, in plain numbers: channels i and i + d/2 of position t are one complex number, multiplied by e^(i t
 * base^(-2i/d)).
 */

import { at, filled, type Numbers } from "./naive.ts";

/** x [..., T, d] -> [..., T, d]; positions count from `first`. */
export function rotaryNaive(x: Numbers, base = 10_000, first = 0): Numbers {
  const width = x.shape[x.shape.length - 1];
  const half = width / 2;
  return filled(x.shape, (index) => {
    const [t, channel] = index.slice(-2);
    const pair = channel % half;
    const angle = (first + t) * base ** ((-2 * pair) / width);
    const real = at(x, index.with(-1, pair));
    const imaginary = at(x, index.with(-1, pair + half));
    return channel < half
      ? real * Math.cos(angle) - imaginary * Math.sin(angle)
      : real * Math.sin(angle) + imaginary * Math.cos(angle);
  });
}
