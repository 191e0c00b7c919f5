/**
 * @file Gated memory unit: a stateless layer that gates the readout of the nearest layer below that has one.
 *
 *     y_t = (silu(x_t W1) o m_t) W2           m [e = d]: that layer's readout, before its gate and its output projection
 *
 * m belongs to the same token, so there is no state: the past enters only through m and through x. So it cannot represent more than the
 * layers below, and no parity over one that only decays; it rereads their output with a separate gate: linear in m, and with m = 1 two
 * layers silu(x W1) W2 without a past. Several in a row share one m.
 *
 * Source: Ren et al. 2025, arXiv:2507.06607 (SambaY).
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { linear, multiply, reshape, silu, type Tensor } from "../tensor/index.ts";
import { normal } from "./layers.ts";
import { type Context, defineModel, READOUT } from "./model.ts";

const config = z.strictObject({});
type Config = z.infer<typeof config>;

export const gmu = defineModel({
  name: "gmu",
  summary: "gated memory unit: a gate on the readout of the layer below",
  source: "arXiv:2507.06607",
  config,
  takes: [READOUT],

  traits: () => ({ recurrence: "none" }),

  init(_: Config, width, rng) {
    return {
      gate: normal(rng.fork("gate"), [width, width]),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply: (p, x, _config, context) => gated(p, x, context),

  state: () => ({}),

  step(p, x, _state, _config, context) {
    const [batch, width] = x.shape;
    const y = gated(p, reshape(x, [batch, 1, width]), context);
    return { y: reshape(y, x.shape), state: {} };
  },

  extend: (p, x, _state, _config, context) => ({ y: gated(p, x, context), rows: {}, state: {} }),
  packs: true,
});

/** x [B, T, d] -> [B, T, d]. */
function gated(p: Readonly<Record<"gate" | "out", Tensor>>, x: Tensor, { taps, intervene, take }: Context) {
  const [batch, length, width] = x.shape;
  const gate = silu(linear(x, p.gate));
  taps("gate", gate);
  const readout = take(READOUT)!; // a model without it is refused (`takes`)
  if (readout.shape.at(-1) !== width)
    fail("gmu", `a layer below with a readout of width ${width} (expandV: 1)`, readout.shape.at(-1));
  const m = reshape(readout, x.shape); // in a step some offer it without T
  const o = intervene(reshape(multiply(gate, m), [batch, length, 1, width]));
  return linear(reshape(o, x.shape), p.out);
}
