/**
 * @file A model over several tokens that follow on what it carries: a step of T tokens.
 *
 *     tokens [B, T], position [B], states -> logits [B, T, V], rows that the past grows by, the other states
 *
 * Layers that keep their past look at it and at each other's tokens in one product, and linear recurrences take a chunk at once
 * (`Mixer.extend`). Of a layer without it, a nonlinear recurrence, the T tokens are T steps inside of the graph: nothing
 * else is exact, and one run of a graph costs less than T.
 */

import { add, embedding, linear, type Tensor, type TensorTree } from "../tensor/index.ts";
import { refusePrefix, stateOrStart, stepByStep } from "./learned-initial-state.ts";
import type { ExtendContext } from "./model.ts";
import {
  contextOf,
  feedForwardOf,
  type Model,
  type ModelParameters,
  startOf,
  stateOf,
  stateShapes,
  withFeedForward,
} from "./stack.ts";

/** Of each state that grows with the sequence, the axis along which it does, the first one being 0 (batch left out). */
export function growingStates(model: Model): Readonly<Record<string, number>> {
  const [two, three] = [stateShapes(model, 2), stateShapes(model, 3)];
  const axes = Object.entries(two).map(
    ([name, shape]) => [name, shape.findIndex((length, axis) => length !== three[name][axis])] as const,
  );
  return Object.fromEntries(axes.filter(([, axis]) => axis >= 0));
}

/** Whether every layer whose state grows can extend it by rows. */
export function canExtend(model: Model): boolean {
  const growing = Object.keys(growingStates(model));
  return model.mixers.every(
    ({ mixer }, layer) =>
      mixer.extend !== undefined || !growing.some((name) => name.startsWith(`layers.${layer}.`)),
  );
}

export interface Extended {
  readonly logits: Tensor;
  readonly rows: Readonly<Record<string, Tensor>>;
  readonly states: Readonly<Record<string, Tensor>>;
}

/** `unseen` and `bound` as in `ExtendContext`; states by the names of `stateShapes`. */
export function extendModel(
  model: Model,
  p: TensorTree<ModelParameters>,
  tokens: Tensor,
  states: Readonly<Record<string, Tensor>>,
  places: Pick<ExtendContext, "position" | "unseen" | "bound">,
): Extended {
  const { layers: starts = {}, prefix: before } = startOf(p);
  refusePrefix(before);
  let x = embedding(p.embedding, tokens); // [B, T, d]
  const rows: Record<string, Tensor> = {};
  const after: Record<string, Tensor> = {};
  const offered = new Map<string, Tensor>();
  for (const [layer, each] of model.mixers.entries()) {
    const { mixer, own } = each;
    const block = p.layers[layer];
    const prefix = `layers.${layer}.`;
    const state = stateOrStart(stateOf(states, prefix), starts[layer], places.position);
    const context = { ...contextOf(model, layer, {}, offered), ...places };
    const normed = context.norm(x, block.mixerNorm);
    const mixed =
      mixer.extend?.(block.mixer, normed, state, own, context) ??
      stepByStep(each, block.mixer, normed, state, context);
    x = withFeedForward(block, add(x, mixed.y), feedForwardOf(model, each), context);
    for (const [name, value] of Object.entries(mixed.rows)) rows[prefix + name] = value;
    for (const [name, value] of Object.entries(mixed.state)) after[prefix + name] = value;
  }
  const logits = linear(contextOf(model, 0, {}, offered).norm(x, p.norm), p.head);
  return { logits, rows, states: after };
}
