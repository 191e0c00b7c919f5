/**
 * @file The recurrence of a GRU over a whole sequence, with its gradient in closed form.
 *
 *     u_t = h_{t-1} W;   r, z = sigmoid(x_t + u_t), n = tanh(x_t + r (u_t + b)), each of its columns;   h_0 = 0
 *     h_t = n + z (h_{t-1} - n)
 *
 * Backward in time, where dh on the right is the loss's direct gradient at t, and a = (1 - z) (1 - n^2):
 *
 *     dh_t = dh + du_{t+1} W' + z_{t+1} dh_{t+1}
 *     du_t = [dh_t, dh_t, dh_t] o [a (u + b) r (1 - r), (h_{t-1} - n) z (1 - z), a r]
 *     dx_t = du_t, except for the last columns, which are dh_t a;   db = sum_t of the last columns of du_t
 *
 * Where a session begins (keeps_t = 0) h_{t-1} is 0, and no gradient flows back from t.
 *
 * The factors that do not depend on dh are computed for all times at once, and dW = sum_t h_{t-1}' du_t is one product.
 */

import { fail } from "../core/error.ts";
import { sigmoid, tanh } from "./activations.ts";
import { add, multiply, reshape, subtract, sum } from "./arithmetic.ts";
import { addProduct, before, kept, oneMinus, slopeOfSigmoid } from "./gate-gradients.ts";
import { type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { scan } from "./scan.ts";
import { concat, full, slice, split, transpose } from "./shape.ts";

/**
 * x [T, B, 3d], weight [d, 3d], columns in the order r, z, n; bias [d] -> h [T, B, d]. If given, keeps [T, B, 1] multiplies the state
 * before step t, without gradient.
 */
export function gruRecurrence(x: Tensor, weight: Tensor, bias: Tensor, keeps?: Tensor): Tensor {
  const [width] = weight.shape;
  if (weight.shape.join() !== `${width},${3 * width}`)
    fail("gruRecurrence", "a weight of shape [d, 3d]", weight.shape);
  if (x.shape.length !== 3 || x.shape[2] !== 3 * width)
    fail("gruRecurrence", `x of shape [T, B, ${3 * width}]`, x.shape);
  const [, batch] = x.shape;
  const zero = full(x.graph, [batch, width], 0);
  const columns = transpose(weight, [1, 0]);
  const { outputs } = scan(keeps === undefined ? [x] : [x, keeps], [zero], ([past], [given, keep]) => {
    const h = kept(past, keep);
    const now = gruStep(given, matmul(h, columns, { transposeY: true }), bias, h);
    return { states: [now.h], outputs: [now.r, now.z, now.n, now.v, now.stays] };
  });
  const [r, z, n, v, stays] = outputs; // [T, B, d]
  const h = add(n, stays);

  return withGradient(h, [x, weight, bias], (dh) => {
    const past = kept(before(h), keeps);
    const toNew = multiply(oneMinus(z), oneMinus(multiply(n, n)));
    const factors = concat(
      [
        multiply(multiply(toNew, v), slopeOfSigmoid(r)),
        multiply(subtract(past, n), slopeOfSigmoid(z)),
        multiply(toNew, r),
      ],
      -1,
    );
    const last = slice(dh, 0, dh.shape[0] - 1, dh.shape[0]);
    const { outputs } = scan(
      [before(dh), kept(z, keeps), factors, ...(keeps === undefined ? [] : [keeps])],
      [reshape(last, [batch, width])],
      ([dhNow], [dhBefore, stay, factor, keep]) => {
        const du = multiply(concat([dhNow, dhNow, dhNow], -1), factor);
        const direct = add(dhBefore, multiply(stay, dhNow));
        return { states: [addProduct(direct, kept(du, keep), weight)], outputs: [du, dhNow] };
      },
      { reverse: true },
    );
    const [du, dhs] = outputs;
    const rows = (tensor: Tensor) => reshape(tensor, [-1, tensor.shape[2]]);
    const [gates, news] = split(du, -1, [2 * width, width]);
    return [
      concat([gates, multiply(dhs, toNew)], -1),
      matmul(rows(past), rows(du), { transposeX: true }),
      sum(news, { axes: [0, 1] }),
    ];
  });
}

/** x_t and u_t [B, 3d], bias [d], h [B, d] -> one step. */
export function gruStep(x: Tensor, u: Tensor, bias: Tensor, h: Tensor) {
  const [, width] = h.shape;
  const [givenGates, givenNew] = split(x, -1, [2 * width, width]);
  const [recurrentGates, recurrentNew] = split(u, -1, [2 * width, width]);
  const [r, z] = split(sigmoid(add(givenGates, recurrentGates)), -1, [width, width]);
  const v = add(recurrentNew, bias);
  const n = tanh(add(givenNew, multiply(r, v)));
  const stays = multiply(z, subtract(h, n));
  // r and z are the gates, n the candidate value, v = u + b of its columns, and stays = z (h_{t-1} - n).
  return { h: add(n, stays), r, z, n, v, stays };
}
