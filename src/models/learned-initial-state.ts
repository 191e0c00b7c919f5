/**
 * @file Learned initial states: trained values of a recurrent layer's state before the first token, or, for attention layers, trained
 * prefix vectors.
 *
 *     states    those in a mixer's `startsFrom`: S_0, h_0 and c_0         initialState.layers.L.NAME
 *     prefix    p_1 .. p_P, read before the text, P = width of a head     initialState.prefix [P, d]
 *
 * For the delta rule, S_0 is what dk writes before the text leave, with keys e_1 .. e_dk, b = 1 and the rows of S_0 as values: each
 * overwrites one row, exactly. So every reachable state can be the start.
 *
 * Source: state tuning as RWKV-PEFT does it (`time_state`); the prefix is that of Li and Liang 2021, arXiv:2101.00190, in the
 * embedding alone.
 */

import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  expand,
  full,
  multiply,
  node,
  type Parameter,
  reshape,
  scan,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { constantParameter, normal } from "./layers.ts";
import type { Context, LayerMixer, State, StepContext } from "./model.ts";

/** `zeros`: nothing is trained, and states start at 0. */
export type Beginning = "zeros" | "trained";

type Starts = Record<string, Parameter>;

interface InitialState {
  readonly layers?: Readonly<Record<string, Readonly<Record<string, Parameter>>>>;
  readonly prefix?: Parameter;
}

/** Zeros for states, as without it; a small random prefix. Errors: LabError if no layer has a trainable start. */
export function initialState(mixers: readonly LayerMixer[], width: number, rng: Rng): InitialState {
  const layers: [string, Starts][] = mixers.flatMap(({ mixer, own }, layer) => {
    const shapes = mixer.state(own, width, 1);
    const starts = (mixer.startsFrom ?? []).map(
      (name) => [name, constantParameter(shapes[name], 0)] as const,
    );
    return starts.length === 0 ? [] : [[String(layer), Object.fromEntries(starts)]];
  });
  if (layers.length > 0) return { layers: Object.fromEntries(layers) };
  // A stateless layer starts like any other.
  const carried = mixers
    .map(({ mixer, own }) => mixer.state(own, width, 1))
    .filter((shapes) => Object.keys(shapes).length > 0);
  const keys = carried.map((shapes) => shapes.keys);
  if (keys.length > 0 && keys.every((shape) => shape !== undefined))
    return { prefix: normal(rng.fork("prefix"), [keys[0].at(-1)!, width]) };
  const names = [...new Set(mixers.map(({ mixer }) => mixer.name))].join(", ");
  return fail(
    "model.initialState",
    '"zeros", or a layer with a trainable initial state',
    `"trained" with ${names}`,
    "docs/concepts/training-signals.md lists such layers",
  );
}

/** A layer over a whole sequence x [B, T, d] that starts from `starts` (each without B). */
export function applyFrom(
  { mixer, own }: LayerMixer,
  p: Parameters<LayerMixer["mixer"]["apply"]>[0],
  x: Tensor,
  starts: State,
  context: Context,
): Tensor {
  const [batch, length, width] = x.shape;
  const state = Object.fromEntries(
    Object.entries(mixer.state(own, width, length)).map(([name, shape]) => [
      name,
      starts[name] === undefined ? full(x.graph, [batch, ...shape], 0) : forEach(batch, starts[name]),
    ]),
  );
  const position = x.graph.constant(new Int32Array(batch), [batch]);
  const unseen = full(x.graph, [batch, 1, 1, 1], 0); // layers with a growing state do not get here
  if (mixer.extend !== undefined)
    return mixer.extend(p, x, state, own, { ...context, position, unseen, bound: length }).y;
  // Values inside a scan's step are not tapped.
  const untapped = { ...context, taps: () => {}, intervene: alone, heads: alone };
  return stepByStep({ mixer, own }, p, x, state, { ...untapped, position }).y;
}

const alone = (read: Tensor) => read;

/** The state before a token: at position 0, where it is all zeros, the start is inserted. */
export function stateOrStart(state: State, starts: State | undefined, position: Tensor): State {
  if (starts === undefined) return state;
  const zero = position.graph.constant(Int32Array.of(0), []);
  const isFirst = toFloat(node("Equal", [position, zero], { shape: position.shape, dtype: "bool" })); // [B]
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      if (starts[name] === undefined) return [name, value];
      const first = reshape(
        isFirst,
        value.shape.with(0, position.shape[0]).map((n, axis) => (axis === 0 ? n : 1)),
      );
      return [name, add(value, multiply(first, starts[name]))];
    }),
  );
}

/** x [...] -> [B, ...]. */
export function forEach(batch: number, x: Tensor): Tensor {
  return expand(reshape(x, [1, ...x.shape]), [batch, ...x.shape]);
}

/** Errors: LabError, since a prefix corresponds to no token. */
export function refusePrefix(prefix: unknown): void {
  if (prefix === undefined) return;
  const hint = "Read whole sequences (model.onnx, evaluate)";
  fail(
    "model.initialState",
    "a model that goes token by token",
    "trained vectors in front of the text",
    hint,
  );
}

/** Applies a layer without `extend` token by token. */
export function stepByStep(
  { mixer, own }: LayerMixer,
  p: Parameters<LayerMixer["mixer"]["step"]>[0],
  x: Tensor,
  state: State,
  context: StepContext,
): { y: Tensor; rows: State; state: State } {
  // Layers above cannot use values created inside the scan's step.
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
