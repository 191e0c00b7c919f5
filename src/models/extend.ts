/**
 * @file A model over several tokens that follow on what it carries: a step of T tokens.
 *
 *     tokens [B, T], position [B], states -> logits [B, T, V], rows that the past grows by, the other states
 *
 * Layers that keep their past look at it and at each other's tokens in one product, and linear recurrences take a chunk at once
 * (`Mixer.extend`). Of a layer without it, a nonlinear recurrence, the T tokens are T steps inside of the graph: nothing
 * else is exact, and one run of a graph costs less than T.
 */

import { fail } from "../records/error.ts";
import {
  add,
  embedding,
  linear,
  reshape,
  scan,
  type Tensor,
  type TensorTree,
  transpose,
} from "../tensor/index.ts";
import { refusePrefix, stateOrStart } from "./initial-state.ts";
import type { ExtendContext, LayerMixer, State } from "./model.ts";
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

/** The tokens of a layer without `extend`, one after the other. */
function stepByStep(
  { mixer, own }: LayerMixer,
  p: TensorTree<ModelParameters>["layers"][string]["mixer"],
  x: Tensor,
  state: State,
  context: ExtendContext,
): { y: Tensor; rows: State; state: State } {
  // What is made inside of the scan's step can be used by no layer above.
  if (mixer.offers !== undefined) fail(mixer.name, "`extend` of a mixer that offers", "none");
  const [batch, length, width] = x.shape;
  if (length === 1) {
    const { y, state: after } = mixer.step(p, reshape(x, [batch, width]), state, own, context);
    return { y: reshape(y, x.shape), rows: {}, state: after };
  }
  const names = Object.keys(state);
  const named = (values: readonly Tensor[]) => Object.fromEntries(names.map((name, i) => [name, values[i]]));
  const passed = x.graph.constant(
    Int32Array.from({ length }, (_, t) => t),
    [length],
  );
  const inTime = transpose(x, [1, 0, 2]); // [T, B, d]
  const { states, outputs } = scan([inTime, passed], Object.values(state), (before, [now, t]) => {
    const position = add(context.position, t);
    const { y, state: after } = mixer.step(p, now, named(before), own, { ...context, position });
    return { states: names.map((name) => after[name]), outputs: [y] };
  });
  return { y: transpose(outputs[0], [1, 0, 2]), rows: {}, state: named(states) };
}
