/** @file The gated memory unit in plain numbers: y = (silu(x W1) o m) W2, with the readout m of the nearest layer below. */

import { linear, product, type Rows, type Subject, silu, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
function gmuNaive(x: Rows, weights: Weights, _own: unknown, offered: ReadonlyMap<string, Rows>): number[][] {
  const m = offered.get("readout");
  if (m === undefined) throw new Error("gmu stands over a layer that offers its readout");
  return x.map((row, t) => linear(product(linear(row, weights.gate).map(silu), m[t]), weights.out));
}

export const subject: Subject = {
  twin: gmuNaive,
  configs: [
    { pattern: ["deltanet", "gmu"], deltanet: { chunk: 5 } },
    { pattern: ["gated-deltanet", "gmu"], feedForward: 0 },
    { pattern: ["deltanet", "gmu", "transformer", "gmu"], layers: 4 },
    { pattern: ["lstm", "gmu"], lstm: { heads: 2 } },
  ],
  parameters: (d) => 2 * d * d,
  taps: (B, T, d) => ({ gate: [B, T, d] }),
};
