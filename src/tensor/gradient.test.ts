import { expect, test } from "vitest";
import { tanh } from "./activations.ts";
import { add, multiply, reshape, scale, sum } from "./arithmetic.ts";
import { evaluate } from "./check.test-helper.ts";
import { correct } from "./cross-entropy.ts";
import { embedding, toFloat } from "./embedding.ts";
import { grad } from "./gradient.ts";
import { Graph, node, withGradient } from "./graph.ts";

test("a loss of more than one number is refused, one of shape [1, 1] is not", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  expect(() => grad(x, [x])).toThrow("grad: expected a loss with one number, got [2]");
  const [dx] = grad(reshape(sum(multiply(x, x)), [1, 1]), [x]);
  const results = await evaluate(graph, { dx }, { x: Float32Array.of(3, -5) });
  expect([...results.dx]).toEqual([6, -10]);
});

test("a parameter that the loss does not use is named", () => {
  const graph = new Graph();
  const tree = { layer: { used: weight(), idle: weight() } };
  const p = graph.parameters(tree);
  scale(p.layer.idle, 2);
  expect(() => grad(sum(p.layer.used), [p.layer.used, p.layer.idle])).toThrow(
    'grad: expected a loss that depends on every parameter, got "layer.idle"',
  );
});

function weight() {
  return { shape: [2], data: new Float32Array(2) };
}

test("x used a hundred times gets a hundred parts", async () => {
  const graph = new Graph();
  const x = graph.input("x", [1]);
  const terms = Array.from({ length: 100 }, (_, i) => scale(x, i));
  const [dx] = grad(sum(terms.reduce(add)), [x]);
  const results = await evaluate(graph, { dx }, { x: Float32Array.of(1) });
  expect(results.dx[0]).toBe((99 * 100) / 2);
});

test("x squared sixteen times over has the derivative n x^(n - 1), through as many nodes", async () => {
  const graph = new Graph();
  const x = graph.input("x", [1]);
  let power = x;
  for (let i = 0; i < 16; i++) power = multiply(power, power);
  const forwardNodes = graph.nodes.length;
  expect(forwardNodes).toBe(16);
  const [dx] = grad(sum(power), [x]);
  expect(graph.nodes.length).toBeLessThan(5 * forwardNodes);
  const results = await evaluate(graph, { dx }, { x: Float32Array.of(1.0001) });
  const exact = 2 ** 16 * Math.fround(1.0001) ** (2 ** 16 - 1);
  expect(results.dx[0] / exact).toBeCloseTo(1, 2);
});

test("the gradient of a gradient is right where all ops on the way have one", async () => {
  const graph = new Graph();
  const x = graph.input("x", [3]);
  const [first] = grad(sum(tanh(x)), [x]);
  const [second] = grad(sum(first), [x]);
  const at = [-0.7, 0, 1.3];
  const results = await evaluate(graph, { second }, { x: Float32Array.from(at) });
  for (const [i, each] of at.entries()) {
    const t = Math.tanh(each);
    expect(results.second[i]).toBeCloseTo(-2 * t * (1 - t * t), 5);
  }
});

test("only the gradients asked for are computed", () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 2]);
  const frozen = node("Floor", [x], { shape: x.shape });
  const y = graph.input("y", [2, 2]);
  // Floor has no gradient: it is an error on the way to x, and no obstacle on the way to y.
  expect(() => grad(sum(multiply(frozen, y)), [x])).toThrow(
    'grad: expected an op with a gradient, got "Floor"',
  );
  expect(grad(sum(multiply(frozen, y)), [y])).toHaveLength(1);
});

test("integers and truth values pass nothing on", () => {
  const graph = new Graph();
  const table = graph.input("table", [3, 2]);
  const index = graph.input("index", [4], "int32");
  const rows = embedding(table, index);
  const hits = correct(rows, index);
  expect(() => grad(sum(hits), [table])).toThrow("a loss that depends on every parameter");
  expect(() => grad(sum(toFloat(index)), [index])).toThrow("a loss that depends on every parameter");
});

test("a gradient of the wrong shape is caught where it is made", () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3]);
  const wrong = withGradient(scale(x, 2), [x], (dy) => [sum(dy, { axes: [0] })]);
  expect(() => grad(sum(wrong), [x])).toThrow("grad: expected a gradient of shape [2,3] for x, got [3]");
});

test("withGradient replaces the gradient of what it wraps, and of nothing else", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  const tripled = scale(x, 3);
  const straightThrough = withGradient(tripled, [x], (dy) => [dy]);
  const [dx] = grad(sum(add(straightThrough, tripled)), [x]);
  const results = await evaluate(graph, { straightThrough, dx }, { x: Float32Array.of(1, 2) });
  expect([...results.straightThrough]).toEqual([3, 6]);
  expect([...results.dx]).toEqual([4, 4]);
});
