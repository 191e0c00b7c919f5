/**
 * @file Rotary positions: channel pairs (i, i + d/2) of position t are rotated by the angle t base^(-2i/d).
 *
 *     y_i = x_i cos - x_{i+d/2} sin,   y_{i+d/2} = x_i sin + x_{i+d/2} cos;   the gradient rotates back
 *
 * Source: Su et al. 2021, arXiv:2104.09864, in Llama's arrangement of the pairs.
 */

import { fail } from "../core/error.ts";
import { add, broadcast, multiply, negate, reshape } from "./arithmetic.ts";
import { embedding } from "./embedding.ts";
import { node, type Tensor, withGradient } from "./graph.ts";
import { concat, split } from "./shape.ts";

export interface Angles {
  /** [T, d/2], or any shape that broadcasts against [..., T, d/2]. */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/**
 * cos and sin of position x frequency, as numbers: [length, width / 2] each, for positions 0, 1, ...; `scaled` may change the
 * frequency of a pair of channels at a position, in radians per position.
 */
export function rotaryAngles(
  length: number,
  width: number,
  base = 10_000,
  scaled: (frequency: number, pair: number, position: number) => number = (frequency) => frequency,
): { cos: Float32Array; sin: Float32Array } {
  if (!(width > 0 && width % 2 === 0)) fail("rotaryAngles", "an even width", width);
  const half = width / 2;
  const frequencies = Array.from({ length: half }, (_, i) => base ** (-i / half));
  const angle = (_: unknown, i: number) => {
    const [position, pair] = [Math.floor(i / half), i % half];
    return position * scaled(frequencies[pair], pair, position);
  };
  const angles = Array.from({ length: length * half }, angle);
  return { cos: Float32Array.from(angles, Math.cos), sin: Float32Array.from(angles, Math.sin) };
}

/** x [..., T, d] -> [..., T, d]. The angles are constants: no gradient flows to them. */
export function rotary(x: Tensor, { cos, sin }: Angles): Tensor {
  const width = x.shape.at(-1) ?? 0;
  if (width === 0 || width % 2 !== 0) fail("rotary", "x of shape [..., T, d], d even", x.shape);
  const half = width / 2;
  const wanted = [...x.shape.slice(0, -1), half];
  if (
    broadcast("rotary", wanted, cos.shape).join() !== wanted.join() ||
    cos.shape.join() !== sin.shape.join()
  ) {
    fail("rotary", `cos and sin that broadcast to [${wanted}]`, [cos.shape, sin.shape]);
  }
  const gradient = (dy: Tensor) => [rotary(dy, { cos, sin: negate(sin) })];
  const [length] = x.shape.slice(-2);
  if (!x.graph.portable && x.shape.length === 4 && cos.shape.join() === [length, half].join()) {
    // One pass over x [B, h, T, d] instead of nine.
    const first = x.graph.constant(BigInt64Array.of(0n), [1]);
    return node("RotaryEmbedding", [x, first, cos, sin], {
      domain: "com.microsoft",
      shape: x.shape,
      gradient,
    });
  }
  const [first, second] = split(x, -1, [half, half]);
  const y = concat(
    [
      add(multiply(first, cos), multiply(negate(second), sin)),
      add(multiply(first, sin), multiply(second, cos)),
    ],
    -1,
  );
  return withGradient(y, [x], gradient);
}

/** The same, starting from each sequence's position: x [B, h, T, d], tables [places, d/2], position int32 [B]. No gradient. */
export function rotaryAt(x: Tensor, table: Angles, position: Tensor): Tensor {
  const [batch, , length, width] = x.shape;
  const { graph } = x;
  const ahead = graph.constant(
    Int32Array.from({ length }, (_, i) => i),
    [1, length],
  );
  const shape = [batch, length];
  const places = node("Add", [reshape(position, [batch, 1]), ahead], { shape, dtype: "int32" });
  if (!graph.portable) {
    const wide = node("Cast", [places], { shape, dtype: "int64", attributes: { to: 7 } });
    return node("RotaryEmbedding", [x, wide, table.cos, table.sin], {
      ...{ domain: "com.microsoft", shape: x.shape },
    });
  }
  const rows = (angles: Tensor) => reshape(embedding(angles, places), [batch, 1, length, width / 2]);
  return rotary(x, { cos: rows(table.cos), sin: rows(table.sin) });
}
