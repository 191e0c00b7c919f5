/**
 * @file Packed sequences: several sessions in one row, their starts, and the masks that separate them.
 *
 *     tokens    a b c d   e f g   0 0        one row of a batch: two sessions, and padding
 *     fresh     1 0 0 0   1 0 0   0 0        int32 [B, T]: 1 where a session begins; the first token of a row always begins one
 *     starts    0 0 0 0   4 4 4   4 4        float32 [B, T]: the start of each token's session
 *     places    0 1 2 3   0 1 2   3 4        int32 [B, T]: the token's offset from there
 *
 * `fresh` is an integer tensor, so none of this has a gradient.
 */

import { add, multiply, reshape, scale, subtract } from "./arithmetic.ts";
import { toFloat } from "./embedding.ts";
import { oneMinus } from "./gate-gradients.ts";
import { node, type Tensor } from "./graph.ts";
import { maximum } from "./maximum.ts";
import { type ScanOptions, type ScanResult, type ScanStep, type StepResult, scan } from "./scan.ts";
import { pad, slice, transpose } from "./shape.ts";

const INT32 = 6;
/** Large enough that softmax gives 0, and finite: 0 times it is 0. */
export const NEVER = -1e9;

/** fresh int32 [B, T] -> the start of each token's session, [B, T]. In log2(T) steps of doubling distance. */
export function sessionStarts(fresh: Tensor): Tensor {
  const [, length] = fresh.shape;
  const own = fresh.graph.constant(
    Float32Array.from({ length }, (_, t) => t),
    [1, length],
  );
  let starts = multiply(toFloat(fresh), own);
  for (let back = 1; back < length; back *= 2)
    starts = maximum(starts, pad(slice(starts, 1, 0, length - back), 1, back, 0));
  return starts;
}

/** Starts [B, T] -> each token's offset from the start of its session, int32 [B, T]. */
export function sessionPlaces(starts: Tensor): Tensor {
  const [, length] = starts.shape;
  const own = starts.graph.constant(
    Float32Array.from({ length }, (_, t) => t),
    [1, length],
  );
  const places = subtract(own, starts);
  return node("Cast", [places], { shape: places.shape, dtype: "int32", attributes: { to: INT32 } });
}

/** Starts of queries and of earlier keys, with shapes that broadcast -> 0 within one session, else a large negative number. */
export function otherSession(ofQuery: Tensor, ofKey: Tensor): Tensor {
  return scale(maximum(subtract(ofQuery, ofKey), ofQuery.graph.scalar(0)), NEVER);
}

/** [B, T] -> [T, B, 1], for a scan over time. */
export function overTime(x: Tensor): Tensor {
  const [batch, length] = x.shape;
  return transpose(reshape(x, [batch, length, 1]), [1, 0, 2]);
}

/** 0 where a session begins, else 1. */
export function keepMask(fresh: Tensor): Tensor {
  return oneMinus(toFloat(fresh));
}

/** x [B, T, ...], 0 where a session begins: for values of the previous token. Unchanged without `fresh`. */
export function zeroAtStarts(x: Tensor, fresh: Tensor | undefined): Tensor {
  return fresh === undefined ? x : multiply(x, alike(keepMask(fresh), x));
}

/** Log-decays [B, T, ...] whose power is 0 where a session begins. Unchanged without `fresh`. */
export function forgetting(logDecay: Tensor, fresh: Tensor | undefined): Tensor {
  return fresh === undefined ? logDecay : add(logDecay, alike(scale(toFloat(fresh), NEVER), logDecay));
}

/** x with as many axes as y, the further ones of length 1. */
function alike(x: Tensor, y: Tensor): Tensor {
  return reshape(x, [...x.shape, ...y.shape.slice(x.shape.length).map(() => 1)]);
}

/** A scan over time of inputs [T, B, ...]; states [B, ...] become 0 where a session begins, and `begins` [B, 1] is 1 there. */
export function scanSessions(
  inputs: readonly Tensor[],
  initial: readonly Tensor[],
  fresh: Tensor | undefined,
  step: (states: readonly Tensor[], inputs: readonly Tensor[], begins?: Tensor) => StepResult,
  options: ScanOptions = {},
): ScanResult {
  if (fresh === undefined) return scan(inputs, initial, step, options);
  const resetting: ScanStep = (states, given) => {
    const begins = given[inputs.length];
    const keeps = reshape(keepMask(begins), [-1]);
    return step(
      states.map((state) => multiply(state, alike(keeps, state))),
      given,
      toFloat(begins),
    );
  };
  return scan([...inputs, overTime(fresh)], initial, resetting, options);
}
