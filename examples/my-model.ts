/**
 * @file A diagonal recurrence: every channel keeps, flips or forgets what it holds.
 *
 *     h_t = a_t o h_{t-1} + x_t Wb,   y_t = h_t Wo          a_t = tanh(x_t Wa) in (-1, 1), or sigmoid in (0, 1)
 *
 * a = -1 changes the sign of a channel: that is how parity is followed. With a in (0, 1) it cannot be done.
 * Source: arXiv:2411.12537, section 3. See docs/how-to/add-a-model.md.
 */

import {
  add,
  defineModel,
  expand,
  linear,
  multiply,
  normal,
  reshape,
  scan,
  sigmoid,
  type Tensor,
  tanh,
  transpose,
  z,
} from "statelab";

const config = z.strictObject({
  /** The least that a can be: -1 admits negative eigenvalues. */
  least: z.union([z.literal(-1), z.literal(0)]).default(-1),
});
type Config = z.infer<typeof config>;

export default defineModel({
  name: "diagonal",
  summary: "diagonal linear recurrence with input-dependent transitions",
  source: "arXiv:2411.12537",
  config,

  traits: ({ least }: Config) => ({
    recurrence: { least, complex: false, commuting: true },
    keeps: "transition",
  }),

  init(_config: Config, width, rng) {
    return {
      transition: normal(rng.fork("transition"), [width, width], width ** -0.5),
      write: normal(rng.fork("write"), [width, width]),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, { taps, intervene }) {
    const [batch, length, width] = x.shape;
    const a = transitions(x, p.transition, config); // [B, T, d]
    taps("transition", a);
    const [aOverTime, bOverTime] = [a, linear(x, p.write)].map((each) => transpose(each, [1, 0, 2])); // [T, B, d]
    const zero = expand(reshape(x.graph.scalar(0), [1, 1]), [batch, width]);
    const { outputs } = scan([aOverTime, bOverTime], [zero], ([h], [aNow, bNow]) => {
      const after = add(multiply(aNow, h), bNow);
      return { states: [after], outputs: [after] };
    });
    const h = transpose(outputs[0], [1, 0, 2]); // [B, T, d]
    const o = intervene(reshape(h, [batch, length, 1, width]));
    return linear(reshape(o, [batch, length, width]), p.out);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, { h }, config, { taps, intervene }) {
    const [batch, width] = x.shape;
    const a = transitions(x, p.transition, config); // [B, d]
    taps("transition", reshape(a, [batch, 1, width]));
    const after = add(multiply(a, h), linear(x, p.write));
    const o = intervene(reshape(after, [batch, 1, 1, width]));
    return { y: linear(reshape(o, [batch, width]), p.out), state: { h: after } };
  },
});

function transitions(x: Tensor, weight: Tensor, { least }: Config): Tensor {
  return least === -1 ? tanh(linear(x, weight)) : sigmoid(linear(x, weight));
}
