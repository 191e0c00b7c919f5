/**
 * @file Prefill: a model over several tokens that continue a state, as one step of T tokens.
 *
 *     tokens [B, T], position [B], states -> logits [B, T, V], new rows of growing states, the other states
 *
 * Attention layers see their cache and each other's tokens in one product, and linear recurrences take a chunk at once
 * (`Mixer.extend`). A layer without it, a nonlinear recurrence, runs T steps inside the graph: nothing else is exact, and one run of a
 * graph costs less than T.
 */

import { add, embedding, linear, type Tensor, type TensorTree } from "../tensor/index.ts";
import { refusePrefix, stateOrStart, stepByStep } from "./learned-initial-state.ts";
import type { ExtendContext } from "./model.ts";
import {
  feedForwardWidth,
  growingStates,
  learnedStart,
  type Model,
  type ModelParameters,
  makeContext,
  stateWithPrefix,
  withFeedForward,
} from "./stack.ts";

/** Whether every layer with a growing state can extend it by rows. */
export function canExtend(model: Model): boolean {
  const growing = Object.keys(growingStates(model));
  return model.mixers.every(
    ({ mixer }, layer) =>
      mixer.extend !== undefined || !growing.some((name) => name.startsWith(`layers.${layer}.`)),
  );
}

/** `unseen` and `bound` as in `ExtendContext`; states by the names of `stateShapes`. */
export function extendModel(
  model: Model,
  p: TensorTree<ModelParameters>,
  tokens: Tensor,
  states: Readonly<Record<string, Tensor>>,
  places: Pick<ExtendContext, "position" | "unseen" | "bound" | "trains">,
) {
  const { layers: starts = {}, prefix: before } = learnedStart(p);
  refusePrefix(before);
  let x = embedding(p.embedding, tokens); // [B, T, d]
  const rows: Record<string, Tensor> = {};
  const after: Record<string, Tensor> = {};
  const offered = new Map<string, Tensor>();
  for (const [layer, each] of model.mixers.entries()) {
    const { mixer, own } = each;
    const block = p.layers[layer % model.layers];
    const prefix = `layers.${layer}.`;
    const state = stateOrStart(stateWithPrefix(states, prefix), starts[layer], places.position);
    const context = { ...makeContext(model, layer, {}, offered), ...places };
    const given = context.before(x, block.mixerNorm);
    const mixed =
      mixer.extend?.(block.mixer, given, state, own, context) ??
      stepByStep(each, block.mixer, given, state, context);
    x = add(x, context.after(mixed.y, block.mixerNorm));
    x = withFeedForward(block, x, feedForwardWidth(model, each), context);
    for (const [name, value] of Object.entries(mixed.rows)) rows[prefix + name] = value;
    for (const [name, value] of Object.entries(mixed.state)) after[prefix + name] = value;
  }
  const logits = linear(makeContext(model, 0, {}, offered).norm(x, p.norm), p.head);
  return { logits, rows, states: after };
}
