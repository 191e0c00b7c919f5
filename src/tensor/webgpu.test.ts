import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { cos, sin } from "./activations.ts";
import { add, multiply, sum } from "./arithmetic.ts";
import { drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { correct } from "./cross-entropy.ts";
import { grad } from "./gradient.ts";
import { Graph, liveNodes, node, type Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { rotaryAngles, rotaryAt } from "./rotary.ts";
import { scan } from "./scan.ts";
import type { Feeds } from "./session.ts";
import { logSoftmax } from "./softmax.ts";
import { choice, largestOnes } from "./top-k.ts";
import { lowerForWebgpu } from "./webgpu.ts";

/** What the processor computes of the graph as given, and rewritten without these operators. */
async function bothWays(
  graph: Graph,
  outputs: Readonly<Record<string, Tensor>>,
  feeds: Feeds,
  ops: readonly string[],
) {
  const lowered = lowerForWebgpu(graph, outputs);
  const used = (each: Graph, wanted: Readonly<Record<string, Tensor>>) =>
    new Set(liveNodes(each, Object.values(wanted)).map(({ op }) => op));
  for (const op of ops) {
    expect(used(graph, outputs), op).toContain(op);
    expect(used(lowered.graph, lowered.outputs), op).not.toContain(op);
  }
  return [await evaluate(graph, outputs, feeds), await evaluate(lowered.graph, lowered.outputs, feeds)];
}

function expectEqual([given, lowered]: readonly Record<string, Float32Array>[]): void {
  for (const [name, wanted] of Object.entries(given))
    expect(relativeError(lowered[name], wanted), name).toBeLessThan(1e-5);
}

const random = (shape: readonly number[], seed: number) =>
  Float32Array.from(drawn({ shape }, rngFrom(seed)).data);

test("products with transposed factors, and log-softmax of large and small numbers", async () => {
  const graph = new Graph();
  const [x, y] = [graph.input("x", [2, 3, 4, 5]), graph.input("y", [2, 3, 6, 4])];
  const z = graph.input("z", [2, 3]);
  const product = matmul(x, y, { transposeX: true, transposeY: true });
  const feeds = { x: random([120], 1), y: random([144], 2), z: Float32Array.of(1e4, 0, -1e4, 1, 2, 3) };
  const results = await bothWays(graph, { product, logs: logSoftmax(z) }, feeds, [
    "FusedMatMul",
    "LogSoftmax",
  ]);
  expectEqual(results);
});

test("choices: of equals the first", async () => {
  const graph = new Graph();
  const x = graph.input("x", [3, 4]);
  const targets = graph.input("targets", [3], "int32");
  const outputs = { hits: correct(x, targets), chosen: choice(x), ones: largestOnes(x, 2) };
  const feeds = {
    x: Float32Array.of(1, 2, 2, 0, /**/ 3, 3, 3, 3, /**/ -1, -3, -2, -1),
    targets: Int32Array.of(1, 1, 0),
  };
  const results = await bothWays(graph, outputs, feeds, ["ArgMax", "TopK"]);
  expect([...results[1].hits]).toEqual([1, 0, 1]);
  expect([...results[1].ones]).toEqual([0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1]);
  expectEqual(results);
});

test("signs, whole numbers, sines and cosines of some turns", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2001]);
  const rounded = node("Round", [x], { shape: [2001] });
  const outputs = { sin: sin(x), cos: cos(x), sign: node("Sign", [x], { shape: [2001] }), rounded };
  const numbers = Float32Array.from({ length: 2001 }, (_, i) => (i - 1000) / 33);
  const ops = ["Sin", "Cos", "Sign", "Round"];
  const [, lowered] = await bothWays(graph, outputs, { x: numbers }, ops);
  for (const [i, each] of numbers.entries()) {
    expect(Math.abs(lowered.sin[i] - Math.sin(each))).toBeLessThan(3e-6);
    expect(Math.abs(lowered.cos[i] - Math.cos(each))).toBeLessThan(3e-6);
    expect(lowered.sign[i]).toBe(Math.sign(each));
    expect(lowered.rounded[i] - Math.round(each)).toBe(0);
  }
});

test("rotation from computed positions", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3, 1, 4]);
  const position = graph.input("position", [2], "int32");
  const angles = rotaryAngles(9, 4);
  const [cos, sin] = [angles.cos, angles.sin].map((table) => graph.constant(table, [9, 2]));
  const y = rotaryAt(x, { cos, sin }, position);
  const feeds = { x: random([24], 3), position: Int32Array.of(7, 2) };
  expectEqual(await bothWays(graph, { y }, feeds, ["RotaryEmbedding"]));
});

test.each([false, true])("a scan with its gradient, reverse %s", async (reverse) => {
  const graph = new Graph();
  const [x, start, w] = [graph.input("x", [5, 2, 3]), graph.input("start", [2, 3]), graph.input("w", [3, 3])];
  const { states, outputs } = scan(
    [x],
    [start],
    ([state], [now]) => {
      const next = sin(add(matmul(state, w), now));
      const total = sum(next);
      return { states: [next], outputs: [multiply(next, now), total, now] };
    },
    { reverse },
  );
  const loss = [states[0], ...outputs].map((each) => sum(multiply(each, each))).reduce(add);
  const [dx, dStart, dW] = grad(loss, [x, start, w]);
  const wanted = { state: states[0], all: outputs[0], totals: outputs[1], same: outputs[2], dx, dStart, dW };
  const feeds = { x: random([30], 4), start: random([6], 5), w: random([9], 6) };
  expectEqual(await bothWays(graph, wanted, feeds, ["Scan"]));
});
