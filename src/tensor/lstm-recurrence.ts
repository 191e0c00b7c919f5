/**
 * @file The recurrence of an LSTM over a whole sequence, with its gradient in closed form.
 *
 *     z_t = x_t + h_{t-1} W;   i, f, o = sigmoid, g = tanh of their columns of z;   h_0 = c_0 = 0
 *     c_t = f c_{t-1} + i g;   h_t = o tanh(c_t)
 *
 * With s = [i, f, o] and r = tanh(c), backward in time, where dh and dc on the right are the loss's direct gradients at t:
 *
 *     dh_t = dh + dz_{t+1} W';   dc_t = dc + f_{t+1} dc_{t+1} + o (1 - r^2) dh_t
 *     dz_t = [dc_t, dc_t, dh_t, dc_t] o [g i (1 - i), f c_{t-1} (1 - f), r o (1 - o), i (1 - g^2)]
 *
 * Where a session begins (keeps_t = 0) h_{t-1} and c_{t-1} are 0, and no gradient flows back from t.
 *
 * The factors that do not depend on dz are computed for all times at once, and dW = sum_t h_{t-1}' dz_t is one product. What a step
 * carries is not an output of it, which would be a copy: forward s, g, f c_{t-1} and r are kept, from which h and c follow.
 */

import { fail } from "../core/error.ts";
import { sigmoid, tanh } from "./activations.ts";
import { add, multiply, reshape } from "./arithmetic.ts";
import { addProduct, before, kept, oneMinus, slopeOfSigmoid } from "./gate-gradients.ts";
import { type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { scan } from "./scan.ts";
import { concat, full, slice, split, transpose } from "./shape.ts";

/**
 * x [T, B, 4d], weight [d, 4d], columns in the order i, f, o, g -> h, c [T, B, d]. If given, keeps [T, B, 1] multiplies the state
 * before step t, without gradient.
 */
export function lstmRecurrence(x: Tensor, weight: Tensor, keeps?: Tensor): { h: Tensor; c: Tensor } {
  const [width] = weight.shape;
  if (weight.shape.join() !== `${width},${4 * width}`)
    fail("lstmRecurrence", "a weight of shape [d, 4d]", weight.shape);
  if (x.shape.length !== 3 || x.shape[2] !== 4 * width)
    fail("lstmRecurrence", `x of shape [T, B, ${4 * width}]`, x.shape);
  const [, batch] = x.shape;
  const zero = full(x.graph, [batch, width], 0);
  const columns = transpose(weight, [1, 0]);
  const { outputs } = scan(keeps === undefined ? [x] : [x, keeps], [zero, zero], ([h, c], [given, keep]) => {
    const now = lstmStep(addProduct(given, kept(h, keep), columns), kept(c, keep));
    return { states: [now.h, now.c], outputs: [now.sigmoids, now.g, now.stays, now.r] };
  });
  const [sigmoids, g, stays, r] = outputs; // [T, B, 3d or d]
  const [i, f, o] = split(sigmoids, -1, [width, width, width]);
  const h = multiply(o, r);
  const c = add(stays, multiply(i, g));

  function gradient(dh: Tensor | undefined, dc: Tensor | undefined) {
    const zeros = full(x.graph, h.shape, 0);
    const toCell = multiply(o, oneMinus(multiply(r, r)));
    const factors = concat(
      [
        multiply(g, slopeOfSigmoid(i)),
        multiply(stays, oneMinus(f)),
        multiply(r, slopeOfSigmoid(o)),
        multiply(i, oneMinus(multiply(g, g))),
      ],
      -1,
    );
    const direct = dh ?? zeros;
    const last = slice(direct, 0, direct.shape[0] - 1, direct.shape[0]);
    const { outputs } = scan(
      [
        ...[toCell, kept(f, keeps), factors, before(direct)],
        ...(dc === undefined ? [] : [dc]),
        ...(keeps === undefined ? [] : [keeps]),
      ],
      [reshape(last, [batch, width]), zero],
      ([dhNow, carried], [share, forget, factor, dhBefore, ...others]) => {
        const later = dc === undefined ? carried : add(carried, others[0]);
        const dcNow = add(later, multiply(share, dhNow));
        const dz = multiply(concat([dcNow, dcNow, dhNow, dcNow], -1), factor);
        const back = addProduct(dhBefore, kept(dz, keeps && others.at(-1)), weight);
        return { states: [back, multiply(forget, dcNow)], outputs: [dz] };
      },
      { reverse: true },
    );
    const [dx] = outputs;
    const rows = (tensor: Tensor) => reshape(tensor, [-1, tensor.shape[2]]);
    return [dx, matmul(rows(kept(before(h), keeps)), rows(dx), { transposeX: true })];
  }

  return {
    h: withGradient(h, [x, weight], (dh) => gradient(dh, undefined)),
    c: withGradient(c, [x, weight], (dc) => gradient(undefined, dc)),
  };
}

/** z [B, 4d], c [B, d] -> one step. */
export function lstmStep(z: Tensor, c: Tensor) {
  const [, width] = c.shape;
  const [gates, news] = split(z, -1, [3 * width, width]);
  const sigmoids = sigmoid(gates);
  const [i, f, o] = split(sigmoids, -1, [width, width, width]);
  const g = tanh(news);
  const stays = multiply(f, c);
  const after = add(stays, multiply(i, g));
  const r = tanh(after);
  // sigmoids are the gates i, f, o; stays = f c_{t-1}; r = tanh(c).
  return { h: multiply(o, r), c: after, sigmoids, g, stays, r };
}
