/**
 * @file Compares an op with its naive twin: outputs, and the gradient of L = sum(w o y) for random w.
 *
 *     dL/dx_i = (L(x + h e_i) - L(x - h e_i)) / 2h        L from the float64 twin, so that only the op rounds
 *
 * Inputs of up to `everyCoordinate` elements are checked at each; larger ones at a sample, and along random directions
 * of +-1, which no wrong element escapes.
 */

import { expect } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { add, multiply, sum } from "./arithmetic.ts";
import type { Rows } from "./delta-rule.naive.ts";
import { grad } from "./gradient.ts";
import { Graph, type Shape, size, type Tensor } from "./graph.ts";
import type { Numbers } from "./naive.ts";
import { compile, type Feeds } from "./session.ts";
import { nodeRuntime } from "./session-node.ts";

export const runtime = nodeRuntime();

export interface Input {
  readonly shape: Shape;
  /** Draws one element; standard normal if left out. */
  readonly draw?: (rng: Rng) => number;
  /** Fed as int32. */
  readonly integer?: boolean;
  /** Whether the gradient is asked for; true for floats if left out. */
  readonly differentiable?: boolean;
}

export interface Case {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly op: (...inputs: Tensor[]) => Tensor | readonly Tensor[];
  readonly naive: (...inputs: Numbers[]) => Numbers | readonly Numbers[];
  /** Allowed error, relative to the largest element of the array that it is in. */
  readonly tolerance?: number;
  readonly seed?: number;
}

const step = 1e-4;
const everyCoordinate = 96;
const sampledCoordinates = 24;
const directions = 3;

/** Uniform in [low, high). */
export function between(low: number, high: number): (rng: Rng) => number {
  return (rng) => low + (high - low) * rng.next();
}

export async function check(checked: Case): Promise<void> {
  const { inputs, op, naive, tolerance = 1e-4, seed = 1 } = checked;
  const rng = rngFrom(seed).fork(checked.name);
  const values = inputs.map((input) => drawn(input, rng));

  const wanted = listed(naive(...values));
  const cotangents = wanted.map(({ shape }) => drawn({ shape }, rng));
  const loss = (given: readonly Numbers[]) =>
    listed(naive(...given)).reduce((total, y, i) => total + dot(y.data, cotangents[i].data), 0);

  const graph = new Graph();
  const tensors = inputs.map(({ shape, integer }, i) =>
    graph.input(`x${i}`, shape, integer ? "int32" : "float32"),
  );
  const outputs = listed(op(...tensors));
  expect(outputs.map(({ shape }) => [...shape])).toEqual(wanted.map(({ shape }) => [...shape]));
  const ys = Object.fromEntries(outputs.map((y, i) => [`y${i}`, y]));
  const asked = inputs.flatMap(({ integer, differentiable }, i) => ((differentiable ?? !integer) ? [i] : []));
  const dxs: Record<string, Tensor> = {};
  if (asked.length > 0) {
    const terms = outputs.map((y, i) => sum(multiply(y, graph.input(`w${i}`, y.shape))));
    const gradients = grad(
      terms.reduce(add),
      asked.map((i) => tensors[i]),
    );
    for (const [n, i] of asked.entries()) dxs[`dx${i}`] = gradients[n];
  }

  const feeds: Record<string, Float32Array | Int32Array> = {};
  for (const [i, { data }] of values.entries()) {
    feeds[`x${i}`] = inputs[i].integer ? Int32Array.from(data) : Float32Array.from(data);
  }
  if (asked.length > 0) for (const [i, w] of cotangents.entries()) feeds[`w${i}`] = Float32Array.from(w.data);
  const results = await evaluate(graph, { ...ys, ...dxs }, feeds);

  for (const [i, { data }] of wanted.entries()) {
    expect(relativeError(results[`y${i}`], data), `output ${i}`).toBeLessThan(tolerance);
  }
  for (const i of asked) {
    const got = results[`dx${i}`];
    for (const direction of directionsFor(got.length, rng)) {
      const slope = slopeAlong(loss, values, i, direction);
      const largest = got.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-2);
      const allowed = tolerance * largest * Math.sqrt(dot(direction, direction));
      const error = Math.abs(dot(got, direction) - slope);
      const where = `gradient of input ${i} along [${direction.slice(0, 20)}]: expected ${slope}`;
      expect(error, where).toBeLessThan(allowed);
    }
  }
}

/** Compiles, runs once and releases. */
export async function evaluate(
  graph: Graph,
  outputs: Readonly<Record<string, Tensor>>,
  feeds: Feeds = {},
): Promise<Record<string, Float32Array>> {
  const compiled = await compile(graph, outputs, runtime);
  try {
    return (await compiled.run(feeds)) as Record<string, Float32Array>; // every op that is checked has float outputs
  } finally {
    await compiled.release();
  }
}

/** The largest difference, relative to the largest element wanted (or to 0.01, so that zeros can be wanted). */
export function relativeError(got: ArrayLike<number>, wanted: ArrayLike<number>): number {
  expect(got.length).toBe(wanted.length);
  let difference = 0;
  let scale = 1e-2;
  for (let i = 0; i < wanted.length; i++) {
    // Not Math.max, which would be NaN for ever after the first NaN; this keeps it and the comparison fails.
    const each = Math.abs(got[i] - wanted[i]);
    if (!(each <= difference)) difference = each;
    scale = Math.max(scale, Math.abs(wanted[i]));
  }
  return difference / scale;
}

/** Random numbers that are exact in float32, so that op and reference see the same. */
export function drawn({ shape, draw = (rng) => rng.normal() }: Input, rng: Rng): Numbers {
  return { shape, data: Float64Array.from({ length: size(shape) }, () => Math.fround(draw(rng))) };
}

function directionsFor(length: number, rng: Rng): number[][] {
  const unit = (i: number) => Array.from({ length }, (_, j) => (j === i ? 1 : 0));
  if (length <= everyCoordinate) return Array.from({ length }, (_, i) => unit(i));
  const signs = () => Array.from({ length }, () => 2 * rng.below(2) - 1);
  return [
    ...Array.from({ length: directions }, signs),
    ...Array.from({ length: sampledCoordinates }, () => unit(rng.below(length))),
  ];
}

function slopeAlong(
  loss: (values: readonly Numbers[]) => number,
  values: readonly Numbers[],
  i: number,
  direction: readonly number[],
): number {
  const moved = (by: number) => {
    const { shape, data } = values[i];
    return values.with(i, { shape, data: data.map((each, j) => each + by * direction[j]) });
  };
  return (loss(moved(step)) - loss(moved(-step))) / (2 * step);
}

function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}

function listed<T extends object>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

/** inputs [B, T, h, d], or [B, T, h] as rows of one number -> what `recurrence` makes of each head, [B, T, h, dv]. */
export function eachHead(recurrence: (...inputs: Rows[]) => number[][], inputs: readonly Numbers[]): Numbers {
  const [batch, length, heads] = inputs[0].shape;
  const outputs: number[][] = [];
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const row = (t: number) => (b * length + t) * heads + head;
      const rowsOf = ({ shape, data }: Numbers) => {
        const [, , , width = 1] = shape;
        return Array.from({ length }, (_, t) => data.subarray(row(t) * width, (row(t) + 1) * width));
      };
      for (const [t, result] of recurrence(...inputs.map(rowsOf)).entries()) outputs[row(t)] = result;
    }
  }
  return { shape: [batch, length, heads, outputs[0].length], data: Float64Array.from(outputs.flat()) };
}

export const onlyNumber = (rows: Rows) => rows.map((row) => row[0]);
