/**
 * @file The weighted sum and mean of -log p(target), and argmax accuracy.
 *
 *     sum     loss = sum_t w_t (-log softmax(x_t)[y_t]);   dx_t = (softmax(x_t) - onehot(y_t)) w_t     w of any sign
 *     mean    the same with w / sum w
 *
 * With the advantage as w, the sum is the policy gradient of Williams 1992.
 */

import { fail } from "../core/error.ts";
import { exp } from "./activations.ts";
import { divide, multiply, negate, reshape, subtract, sum } from "./arithmetic.ts";
import { oneHot, toFloat } from "./embedding.ts";
import { node, type Tensor, withGradient } from "./graph.ts";

import { logSoftmax } from "./softmax.ts";

/**
 * logits [..., V], targets int32 [...], nonnegative weights [...] -> scalar, in nats; 0 if all weights are. Logits are finite; the
 * weights are data, without gradient.
 */
export function crossEntropy(logits: Tensor, targets: Tensor, weights: Tensor): Tensor {
  checkTargets("crossEntropy", "targets", logits, targets);
  checkTargets("crossEntropy", "weights", logits, weights);
  return weightedLogLoss(logits, targets, divide(weights, weightOf(weights)));
}

/** The sum [] of nonnegative weights [...], as a divisor; a tiny positive number if all are 0, so that the quotient is 0. */
export function weightOf(weights: Tensor): Tensor {
  return node("Max", [sum(weights), weights.graph.constant(Float32Array.of(1e-30), [])], { shape: [] });
}

/**
 * The sum over all positions of -w log p(target): logits [..., V], targets int32 [...], weights [...] -> scalar, in nats. Weights have
 * any sign and include any normalization; they get no gradient.
 */
export function weightedLogLoss(logits: Tensor, targets: Tensor, weights: Tensor): Tensor {
  checkTargets("weightedLogLoss", "targets", logits, targets);
  checkTargets("weightedLogLoss", "weights", logits, weights);
  const hot = oneHot(targets, logits.shape.at(-1)!); // [..., V]
  const logProbabilities = logSoftmax(logits);
  const losses = negate(sum(multiply(hot, logProbabilities), { axes: [-1] }));
  return withGradient(sum(multiply(losses, weights)), [logits], (dy) => {
    const row = reshape(multiply(weights, dy), [...weights.shape, 1]);
    return [multiply(subtract(exp(logProbabilities), hot), row)];
  });
}

/** 1 where the largest logit is the target's, else 0: [...]. No gradient. */
export function correct(logits: Tensor, targets: Tensor): Tensor {
  checkTargets("correct", "targets", logits, targets);
  const shape = logits.shape.slice(0, -1);
  const attributes = { axis: logits.shape.length - 1, keepdims: 0 };
  const largest = node("ArgMax", [logits], { shape, dtype: "int64", attributes });
  const index = node("Cast", [largest], { shape, dtype: "int32", attributes: { to: 6 } });
  return toFloat(node("Equal", [index, targets], { shape, dtype: "bool" }));
}

/** Broadcasting would silently turn a wrong shape into a wrong loss. */
function checkTargets(op: string, name: string, logits: Tensor, x: Tensor): void {
  const wanted = logits.shape.slice(0, -1);
  if (logits.shape.length === 0) fail(op, "logits of shape [..., V]", logits.shape);
  if (x.shape.join() !== wanted.join()) fail(op, `${name} of shape [${wanted}]`, x.shape);
}
