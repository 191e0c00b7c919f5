/**
 * @file Which numbers of a row are its largest.
 *
 *     y = 1 at the n largest of each row, of equals the first; else 0
 *
 * It has no gradient: where it changes, it jumps. What is chosen learns by a factor that is smooth, as its share of a softmax.
 */

import { fail } from "../core/error.ts";
import { sum } from "./arithmetic.ts";
import { oneHot } from "./embedding.ts";
import { node, nodes, type Tensor } from "./graph.ts";

/** x [..., d] -> [..., d], 1 at the `count` largest of each row, of equals the first, and 0 elsewhere. No gradient. */
export function largestOnes(x: Tensor, count: number): Tensor {
  const width = x.shape.at(-1)!;
  if (!(Number.isInteger(count) && count > 0 && count <= width))
    fail("largestOnes", `a count from 1 to ${width}`, count);
  const shape = [...x.shape.slice(0, -1), count];
  const [, places] = nodes("TopK", [x, x.graph.constant(BigInt64Array.of(BigInt(count)), [1])], {
    outputs: [{ shape }, { shape, dtype: "int64" }],
    attributes: { axis: x.shape.length - 1 },
  });
  const index = node("Cast", [places], { shape, dtype: "int32", attributes: { to: 6 } });
  return sum(oneHot(index, width), { axes: [-2] });
}
