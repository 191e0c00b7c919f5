/** @file What the fused recurrences promise: outputs and gradients of the naive twin, and of a scan that is differentiated node by node. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { sigmoid, tanh } from "./activations.ts";
import { add, multiply, sum } from "./arithmetic.ts";
import { type Case, check, drawn, evaluate, type Input, relativeError } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
import { gruRecurrenceNaive } from "./gru-recurrence.naive.ts";
import { gruRecurrence, gruStep } from "./gru-recurrence.ts";
import { lstmRecurrenceNaive } from "./lstm-recurrence.naive.ts";
import { lstmRecurrence } from "./lstm-recurrence.ts";
import { matmul } from "./matmul.ts";
import { scan } from "./scan.ts";
import { full, split } from "./shape.ts";

interface Sizes {
  readonly T: number;
  readonly B: number;
  readonly d: number;
}

interface Recurrence extends Pick<Case, "naive"> {
  readonly inputs: (sizes: Sizes) => Input[];
  readonly op: (...inputs: Tensor[]) => Tensor[];
  readonly byScan: (...inputs: Tensor[]) => Tensor[];
}

/** Gates of order 3, so that some are nearly shut and some in their steepest part. */
const gates = ({ T, B, d }: Sizes, count: number): Input[] => [
  { shape: [T, B, count * d], draw: (rng) => 2 * rng.normal() },
  { shape: [d, count * d] },
];

/** An LSTM of which the loss uses h, c or both. */
function lstm(used: <X>(h: X, c: X) => X[]): Recurrence {
  return {
    inputs: (sizes) => gates(sizes, 4),
    op(x, weight) {
      const { h, c } = lstmRecurrence(x, weight);
      return used(h, c);
    },
    naive: (x, weight) => used(...lstmRecurrenceNaive(x, weight)),
    byScan(x, weight) {
      const [, batch] = x.shape;
      const [width] = weight.shape;
      const zero = full(x.graph, [batch, width], 0);
      const { outputs } = scan([x], [zero, zero], ([h, c], [now]) => {
        const [sigmoids, g] = split(add(now, matmul(h, weight)), -1, [3 * width, width]);
        const [i, f, o] = split(sigmoid(sigmoids), -1, [width, width, width]);
        const after = add(multiply(f, c), multiply(i, tanh(g)));
        const out = multiply(o, tanh(after));
        return { states: [out, after], outputs: [out, after] };
      });
      return used(outputs[0], outputs[1]);
    },
  };
}

const gru: Recurrence = {
  inputs: (sizes) => [...gates(sizes, 3), { shape: [sizes.d] }],
  op: (x, weight, bias) => [gruRecurrence(x, weight, bias)],
  naive: gruRecurrenceNaive,
  byScan(x, weight, bias) {
    const [, batch] = x.shape;
    const [width] = weight.shape;
    const { outputs } = scan([x], [full(x.graph, [batch, width], 0)], ([h], [now]) => {
      const after = gruStep(now, matmul(h, weight), bias, h);
      return { states: [after.h], outputs: [after.h] };
    });
    return [...outputs];
  },
};

describe.each(
  Object.entries({
    "an LSTM, h and c": lstm((h, c) => [h, c]),
    "an LSTM, h alone": lstm((h) => [h]),
    "an LSTM, c alone": lstm((_, c) => [c]),
    "a GRU": gru,
  }),
)("%s", (name, { inputs, op, naive, byScan }) => {
  const compare = (sizes: Sizes) =>
    check({ name: `${name} ${Object.values(sizes)}`, inputs: inputs(sizes), op, naive });

  test.each([
    { T: 1, B: 1, d: 1 },
    { T: 1, B: 3, d: 2 },
    { T: 2, B: 1, d: 3 },
    { T: 17, B: 2, d: 5 },
  ])("equals its twin at %j, gradients too", compare);

  test("equals its twin at any size, gradients too", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ T: count(12), B: count(3), d: count(5) });
    await fc.assert(fc.asyncProperty(sizes, compare), { seed: 4, numRuns: 5 });
  });

  test.each([false, true])("is the scan of its step, gradients too; portable: %s", async (portable) => {
    const graph = new Graph({ portable });
    const given = inputs({ T: 65, B: 3, d: 7 }).map(({ shape }, i) => graph.input(`x${i}`, shape));
    const weights = op(...given).map(({ shape }, i) => graph.input(`w${i}`, shape));
    const both = [op, byScan].map((way) => {
      const outputs = way(...given);
      if (portable) return outputs; // its products have no gradient
      const loss = outputs.map((y, i) => sum(multiply(y, weights[i])));
      return [...outputs, ...grad(loss.reduce(add), given)];
    });
    const rng = rngFrom(8);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    const outputs = both.flatMap((each, n) => each.map((tensor, i) => [`${n} ${i}`, tensor]));
    const results = await evaluate(graph, Object.fromEntries(outputs), feeds);
    for (const i of both[0].keys())
      expect(relativeError(results[`0 ${i}`], results[`1 ${i}`])).toBeLessThan(2e-6);
  });
});

test("gates so far open or shut that their slopes are 0 keep the cell, and pass its gradient on unchanged", async () => {
  const [T, far] = [5, 200];
  const graph = new Graph();
  const x = graph.input("x", [T, 1, 4]);
  const weight = graph.input("weight", [1, 4]);
  const { c } = lstmRecurrence(x, weight);
  const [dx] = grad(sum(c), [x]);
  // The first step writes tanh(0.5); later ones have the input gate shut and the forget gate open.
  const rows = Array.from({ length: T }, (_, t) => [t === 0 ? far : -far, far, far, 0.5]);
  const results = await evaluate(
    graph,
    { c, dx },
    { x: Float32Array.from(rows.flat()), weight: new Float32Array(4) },
  );
  const written = Math.tanh(0.5);
  for (const each of results.c) expect(each).toBeCloseTo(written, 6);
  const wanted = rows.map((_, t) => [0, 0, 0, t === 0 ? T * (1 - written ** 2) : 0]);
  expect(relativeError(results.dx, wanted.flat())).toBeLessThan(1e-6);
});

test.each([
  [lstmRecurrence, [3, 3], "lstmRecurrence: expected a weight of shape [d, 4d], got [3,3]"],
  [lstmRecurrence, [2, 8], "lstmRecurrence: expected x of shape [T, B, 8], got [4,2,12]"],
  [gruRecurrence, [3, 3], "gruRecurrence: expected a weight of shape [d, 3d], got [3,3]"],
  [gruRecurrence, [2, 6], "gruRecurrence: expected x of shape [T, B, 6], got [4,2,12]"],
] as const)("shapes that do not fit are refused: %s with a weight %j", (op, shape, words) => {
  const graph = new Graph();
  const call = op as typeof gruRecurrence;
  const [x, weight, bias] = [[4, 2, 12], shape, [3]].map((each, i) => graph.input(`x${i}`, each));
  expect(() => call(x, weight, bias)).toThrow(words);
});
