/**
 * @file Complex numbers as pairs of tensors, and zero-order-hold discretization of a diagonal complex system.
 *
 *     dh/dt = A h + u   over a time D with constant u:   h = e^(D A) h + (e^(D A) - 1) / A u
 */

import { shift } from "../tensor/arithmetic.ts";
import { add, cos, divide, exp, multiply, negate, sin, subtract, type Tensor } from "../tensor/index.ts";

export interface Complex {
  readonly re: Tensor;
  readonly im: Tensor;
}

/** e^z. */
export function power({ re, im }: Complex): Complex {
  const size = exp(re);
  return { re: multiply(size, cos(im)), im: multiply(size, sin(im)) };
}

export function times(x: Complex, y: Complex): Complex {
  return {
    re: subtract(multiply(x.re, y.re), multiply(x.im, y.im)),
    im: add(multiply(x.re, y.im), multiply(x.im, y.re)),
  };
}

interface HeldSystem {
  /** D A. */
  readonly exponent: Complex;
  /** e^(D A). */
  readonly move: Complex;
  /** (e^(D A) - 1) / A. */
  readonly held: Complex;
}

/** Zero-order hold, with shapes that broadcast. A is not 0. */
export function rolledOut({ re: fade, im: turn }: Complex, step: Tensor): HeldSystem {
  const exponent = { re: multiply(fade, step), im: multiply(turn, step) };
  const move = power(exponent);
  const size = add(multiply(fade, fade), multiply(turn, turn));
  const inverse = { re: divide(fade, size), im: divide(negate(turn), size) };
  return { exponent, move, held: times({ re: shift(move.re, -1), im: move.im }, inverse) };
}
