/** @file The tokens of a layer as steps inside of the graph: of a nonlinear recurrence nothing else is exact. */

import { fail } from "../core/error.ts";
import { add, reshape, scan, type Tensor, transpose } from "../tensor/index.ts";
import type { LayerMixer, State, StepContext } from "./model.ts";

/** The tokens of a layer without `extend`, one after the other. */
export function stepByStep(
  { mixer, own }: LayerMixer,
  p: Parameters<LayerMixer["mixer"]["step"]>[0],
  x: Tensor,
  state: State,
  context: StepContext,
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
