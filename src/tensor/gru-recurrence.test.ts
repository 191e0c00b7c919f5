import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { multiply, sum } from "./arithmetic.ts";
import { check, drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
import { gruRecurrenceNaive } from "./gru-recurrence.naive.ts";
import { gruRecurrence, gruStep } from "./gru-recurrence.ts";
import { matmul } from "./matmul.ts";
import { scan } from "./scan.ts";
import { full } from "./shape.ts";

/** Gates of order 3, so that some are nearly shut and some in their steepest part. */
function compare({ T, B, d }: { readonly T: number; readonly B: number; readonly d: number }) {
  return check({
    name: `gru recurrence ${T} ${B} ${d}`,
    inputs: [
      { shape: [T, B, 3 * d], draw: (rng) => 2 * rng.normal() },
      { shape: [d, 3 * d] },
      { shape: [d] },
    ],
    op: gruRecurrence,
    naive: gruRecurrenceNaive,
  });
}

/** The same, differentiated node by node by the scan. */
function byScan(x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  const [, batch] = x.shape;
  const { outputs } = scan([x], [full(x.graph, [batch, weight.shape[0]], 0)], ([h], [now]) => {
    const after = gruStep(now, matmul(h, weight), bias, h);
    return { states: [after.h], outputs: [after.h] };
  });
  return outputs[0];
}

test.each([
  { T: 1, B: 1, d: 1 },
  { T: 1, B: 3, d: 2 },
  { T: 2, B: 1, d: 3 },
  { T: 17, B: 2, d: 5 },
])("it equals its twin at %j, gradients too", compare);

test("it equals its twin at any size, gradients too", async () => {
  const count = (max: number) => fc.integer({ min: 1, max });
  const sizes = fc.record({ T: count(12), B: count(3), d: count(5) });
  await fc.assert(fc.asyncProperty(sizes, compare), { seed: 4, numRuns: 5 });
});

test.each([false, true])("it is the scan of its step, gradients too; portable: %s", async (portable) => {
  const graph = new Graph({ portable });
  const inputs = [
    graph.input("x", [65, 3, 21]),
    graph.input("weight", [7, 21]),
    graph.input("bias", [7]),
  ] as const;
  const w = graph.input("w", [65, 3, 7]);
  const both = [gruRecurrence, byScan].map((op) => {
    const h = op(...inputs);
    return portable ? [multiply(h, w)] : [h, ...grad(sum(multiply(h, w)), inputs)]; // portable products have no gradient
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

test("shapes that do not fit are refused", () => {
  const graph = new Graph();
  const x = graph.input("x", [4, 2, 12]);
  const bias = graph.input("bias", [3]);
  expect(() => gruRecurrence(x, graph.input("square", [3, 3]), bias)).toThrow(
    "gruRecurrence: expected a weight of shape [d, 3d], got [3,3]",
  );
  expect(() => gruRecurrence(x, graph.input("narrow", [2, 6]), bias)).toThrow(
    "gruRecurrence: expected x of shape [T, B, 6], got [4,2,12]",
  );
});
