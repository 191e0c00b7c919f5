/**
 * @file Rotations by computed angles, and cumulative angles.
 *
 *     turned(x, p): y_i = x_i cos p_i - x_{i+R} sin p_i,  y_{i+R} = x_i sin p_i + x_{i+R} cos p_i, i < R;  y_i = x_i from 2R on
 *     runningAngle(p)_t = p_1 + ... + p_t modulo 2 pi                                    gradient as for the sum
 *
 * The sum is reduced to half a turn at every step: a float32 of several thousand radians has errors of thousandths.
 */

import { fail } from "../core/error.ts";
import { cos, sin } from "./activations.ts";
import { add, multiply, scale, subtract } from "./arithmetic.ts";
import { node, type Tensor } from "./graph.ts";
import { stopGradient } from "./maximum.ts";
import { scanSessions } from "./packed-sequences.ts";
import { concat, full, split } from "./shape.ts";

/** x [..., N], angle [..., R] with leading axes that broadcast to those of x, 2R at most N -> [..., N]. */
export function rotatePairs(x: Tensor, angle: Tensor): Tensor {
  const width = x.shape.at(-1)!;
  const pairs = angle.shape.at(-1)!;
  const rest = width - 2 * pairs;
  if (rest < 0) fail("turned", `at most ${Math.floor(width / 2)} angles for ${width} channels`, pairs);
  const [first, second, still] = split(x, -1, rest === 0 ? [pairs, pairs] : [pairs, pairs, rest]);
  const [c, s] = [cos(angle), sin(angle)];
  const parts = [
    subtract(multiply(first, c), multiply(second, s)),
    add(multiply(first, s), multiply(second, c)),
  ];
  return concat(rest === 0 ? parts : [...parts, still], -1);
}

/** angle [T, B, ...] -> [T, B, ...], within half a turn of 0. `fresh` int32 [B, T] is 1 where a sum begins again. */
export function runningAngle(angle: Tensor, fresh?: Tensor): Tensor {
  const start = full(angle.graph, angle.shape.slice(1), 0);
  const { outputs } = scanSessions([angle], [start], fresh, ([before], [now]) => {
    const sum = add(before, now);
    const turns = node("Round", [scale(sum, 1 / (2 * Math.PI))], { shape: sum.shape });
    const after = subtract(sum, stopGradient(scale(turns, 2 * Math.PI)));
    return { states: [after], outputs: [after] };
  });
  return outputs[0];
}
