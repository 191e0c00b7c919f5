/** @file The causal convolution, in plain numbers: y_t = sum_j w_j x_{t - K + 1 + j}, channel by channel. */

import { at, filled, type Numbers } from "./naive.ts";

/** x [B, T, D], weight [K, D] -> [B, T, D]; the last tap applies to the present. */
export function causalConvolutionNaive(x: Numbers, weight: Numbers): Numbers {
  const [taps] = weight.shape;
  return filled(x.shape, ([b, t, d]) => {
    let sum = 0;
    for (let j = 0; j < taps; j++) {
      const past = t - taps + 1 + j;
      if (past >= 0) sum += at(weight, [j, d]) * at(x, [b, past, d]);
    }
    return sum;
  });
}
