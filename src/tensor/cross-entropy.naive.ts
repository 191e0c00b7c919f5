/** @file The weighted mean of -log p(target), and argmax accuracy, in plain numbers. */

import type { Numbers } from "./naive.ts";
import { logSoftmaxRow } from "./softmax.naive.ts";

/** logits [..., V], targets [...], weights [...] -> [], in nats. */
export function crossEntropyNaive(logits: Numbers, targets: Numbers, weights: Numbers): Numbers {
  let loss = 0;
  let total = 0;
  for (const [t, row] of rowsOf(logits).entries()) {
    loss -= weights.data[t] * logSoftmaxRow(row)[targets.data[t]];
    total += weights.data[t];
  }
  return { shape: [], data: Float64Array.of(loss / total) };
}

/** logits [..., V], targets [...], weights [...] of any sign -> []: the sum, in nats. */
export function weightedLogLossNaive(logits: Numbers, targets: Numbers, weights: Numbers): Numbers {
  const losses = rowsOf(logits).map((row, t) => -weights.data[t] * logSoftmaxRow(row)[targets.data[t]]);
  return { shape: [], data: Float64Array.of(losses.reduce((sum, loss) => sum + loss, 0)) };
}

/** 1 where the first largest logit is the target's, else 0. */
export function correctNaive(logits: Numbers, targets: Numbers): Numbers {
  const hits = rowsOf(logits).map((row, t) => Number(row.indexOf(Math.max(...row)) === targets.data[t]));
  return { shape: targets.shape, data: Float64Array.from(hits) };
}

function rowsOf({ shape, data }: Numbers): number[][] {
  const width = shape[shape.length - 1];
  return Array.from({ length: data.length / width }, (_, t) => [
    ...data.subarray(t * width, (t + 1) * width),
  ]);
}
