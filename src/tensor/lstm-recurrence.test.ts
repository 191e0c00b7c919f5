import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { sigmoid, tanh } from "./activations.ts";
import { add, multiply, sum } from "./arithmetic.ts";
import { check, drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
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

const used = {
  "h and c": <X>(h: X, c: X) => [h, c],
  "h alone": <X>(h: X, _: X) => [h],
  "c alone": <X>(_: X, c: X) => [c],
};
type Used = keyof typeof used;

/** Gates of order 3, so that some are nearly shut and some in their steepest part. */
function compare({ T, B, d }: Sizes, which: Used) {
  return check({
    name: `lstm recurrence ${T} ${B} ${d} ${which}`,
    inputs: [{ shape: [T, B, 4 * d], draw: (rng) => 2 * rng.normal() }, { shape: [d, 4 * d] }],
    op: (x, weight) => {
      const { h, c } = lstmRecurrence(x, weight);
      return used[which](h, c);
    },
    naive: (x, weight) => used[which](...lstmRecurrenceNaive(x, weight)),
  });
}

/** The same, differentiated node by node by the scan. */
function byScan(x: Tensor, weight: Tensor): { h: Tensor; c: Tensor } {
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
  const [h, c] = outputs;
  return { h, c };
}

describe.each(Object.keys(used) as Used[])("where the loss uses %s", (which) => {
  test.each([
    { T: 1, B: 1, d: 1 },
    { T: 1, B: 3, d: 2 },
    { T: 2, B: 1, d: 3 },
    { T: 17, B: 2, d: 5 },
  ])("it equals its twin at %j, gradients too", (sizes) => compare(sizes, which));

  test("it equals its twin at any size, gradients too", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ T: count(12), B: count(3), d: count(5) });
    await fc.assert(
      fc.asyncProperty(sizes, (each) => compare(each, which)),
      { seed: 4, numRuns: 5 },
    );
  });

  test("it is the scan of its step, gradients too", async () => {
    const graph = new Graph();
    const inputs = inputsOf(graph);
    const weights = ["w0", "w1"].map((name) => graph.input(name, [65, 3, 7]));
    const both = [lstmRecurrence, byScan].map((op) => {
      const { h, c } = op(...inputs);
      const loss = used[which](h, c).map((y, i) => sum(multiply(y, weights[i])));
      return [h, c, ...grad(loss.reduce(add), inputs)];
    });
    await expectEqual(graph, both);
  });
});

test("in standard operators it is the scan of its step", async () => {
  const graph = new Graph({ portable: true });
  const inputs = inputsOf(graph);
  const both = [lstmRecurrence, byScan].map((op) => Object.values(op(...inputs)));
  await expectEqual(graph, both);
});

function inputsOf(graph: Graph): [x: Tensor, weight: Tensor] {
  return [graph.input("x", [65, 3, 28]), graph.input("weight", [7, 28])];
}

async function expectEqual(graph: Graph, [first, second]: readonly (readonly Tensor[])[]) {
  const rng = rngFrom(8);
  const feeds = Object.fromEntries(
    graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
  );
  const outputs = [...first, ...second].map((tensor, i) => [`y${i}`, tensor]);
  const results = await evaluate(graph, Object.fromEntries(outputs), feeds);
  for (const i of first.keys()) {
    expect(relativeError(results[`y${i}`], results[`y${first.length + i}`])).toBeLessThan(2e-6);
  }
}

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

test("shapes that do not fit are refused", () => {
  const graph = new Graph();
  const x = graph.input("x", [4, 2, 12]);
  expect(() => lstmRecurrence(x, graph.input("square", [3, 3]))).toThrow(
    "lstmRecurrence: expected a weight of shape [d, 4d], got [3,3]",
  );
  expect(() => lstmRecurrence(x, graph.input("narrow", [2, 8]))).toThrow(
    "lstmRecurrence: expected x of shape [T, B, 8], got [4,2,12]",
  );
});
