/**
 * @file AdamW with decoupled weight decay.
 *
 *     m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *     p = p - lr (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + decay p)
 *
 * Source: Loshchilov and Hutter 2017, arXiv:1711.05101.
 */

import { shift } from "../../tensor/arithmetic.ts";
import { add, divide, multiply, scale, sqrt } from "../../tensor/index.ts";
import {
  clipping,
  decays,
  type Optimizer,
  type OptimizerConfig,
  type Rule,
  type Trained,
} from "./optimizer.ts";

export function adamw(trained: Trained, config: OptimizerConfig): Optimizer {
  return clipping("adamw", adamwRule(trained, config), trained, config);
}

/** The two moments have the order of the ranges, which may cover only some of the parameters. */
function adamwRule(
  { values, ranges }: Trained,
  { beta1, beta2, epsilon, weightDecay }: OptimizerConfig,
): Rule {
  const length = ranges.reduce((total, { start, end }) => total + end - start, 0);
  const first = new Float32Array(length);
  const second = new Float32Array(length);
  const scalars = (learningRate: number, step: number) => ({
    rate: learningRate / (1 - beta1 ** step),
    secondCorrection: 1 / Math.sqrt(1 - beta2 ** step),
    kept: 1 - learningRate * weightDecay,
  });
  return {
    state: { first, second },
    scalars,
    nodes(g, state, { rate, secondCorrection, kept }) {
      const first = add(scale(state.first, beta1), scale(g, 1 - beta1));
      const second = add(scale(state.second, beta2), scale(multiply(g, g), 1 - beta2));
      const root = shift(multiply(sqrt(second), secondCorrection), epsilon);
      return { state: { first, second }, change: divide(multiply(first, rate), root), kept };
    },
    apply(gradient, factor, learningRate, step) {
      const { rate, secondCorrection, kept } = scalars(learningRate, step);
      let at = 0;
      for (const range of ranges) {
        const { start, end } = range;
        const keeps = decays(range) ? kept : 1;
        for (let i = start; i < end; i++, at++) {
          const g = gradient[i] * factor;
          const m = beta1 * first[at] + (1 - beta1) * g;
          const v = beta2 * second[at] + (1 - beta2) * g * g;
          first[at] = m;
          second[at] = v;
          values[i] =
            Math.fround(values[i] * keeps) - (rate * m) / (Math.sqrt(v) * secondCorrection + epsilon);
        }
      }
    },
  };
}
