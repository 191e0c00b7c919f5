import { describe, expect, test } from "vitest";
import { sigmoid, silu } from "./activations.ts";
import { add, multiply, reshape, scale, sum } from "./arithmetic.ts";
import { causalConvolution } from "./causal-convolution.ts";
import { evaluate } from "./check.test-helper.ts";
import { embedding } from "./embedding.ts";
import { grad } from "./gradient.ts";
import { Graph, liveNodes, node } from "./graph.ts";
import { slice, transpose } from "./shape.ts";

describe("equal nodes are made once", () => {
  test.each([
    ["of one input", (g: Graph) => sigmoid(g.inputs[0])],
    ["of two inputs", (g: Graph) => add(g.inputs[0], g.inputs[1])],
    ["with attributes", (g: Graph) => transpose(g.inputs[0], [1, 0])],
    ["with constants", (g: Graph) => slice(g.inputs[0], 1, 1, 2)],
    ["of many nodes", (g: Graph) => multiply(sigmoid(scale(g.inputs[0], 0.1)), reshape(g.inputs[1], [2, 2]))],
  ])("%s", (_, make) => {
    const graph = new Graph();
    graph.input("x", [2, 2]);
    graph.input("y", [2, 2]);
    const first = make(graph);
    const count = graph.nodes.length;
    expect(make(graph)).toBe(first);
    expect(graph.nodes).toHaveLength(count);
  });

  test("and unequal ones are not taken for each other", () => {
    const graph = new Graph();
    const x = graph.input("x", [2, 2, 2]);
    const y = graph.input("y", [2, 2, 2]);
    const made = [
      add(x, y),
      add(y, x),
      multiply(x, y),
      transpose(x, [1, 0, 2]),
      transpose(x, [0, 2, 1]),
      slice(x, 0, 0, 1),
      slice(x, 1, 0, 1),
      scale(x, 0.1),
      scale(x, 0.2),
      reshape(x, [8]),
      reshape(x, [4, 2]),
    ];
    expect(new Set(made).size).toBe(made.length);
  });

  test("a node without gradient does not stand in for an equal one that has it", () => {
    const graph = new Graph();
    const weight = graph.input("weight", [2, 3]);
    // The backward pass reads the taps in reverse order by a separate Gather, which has no gradient.
    const y = causalConvolution(graph.input("x", [1, 4, 3]), weight);
    grad(sum(y), [weight]);
    grad(sum(y), [graph.inputs[1]]);
    const reversed = embedding(weight, graph.constant(Int32Array.of(1, 0), [2]));
    expect(grad(sum(reversed), [weight])).toHaveLength(1);
  });
});

describe("constants", () => {
  test("equal ones are stored once, however large, and told apart by type, shape and every bit", () => {
    const graph = new Graph();
    const large = (last: number) =>
      Float32Array.from({ length: 100_000 }, (_, i) => (i === 99_999 ? last : i % 7));
    const known = graph.constant(large(1), [100_000]);
    expect(graph.constant(large(1), [100_000])).toBe(known);
    expect(graph.constant(large(2), [100_000])).not.toBe(known);
    expect(graph.constant(large(1), [1000, 100])).not.toBe(known);
    const zero = graph.constant(Float32Array.of(0), [1]);
    expect(graph.constant(Int32Array.of(0), [1])).not.toBe(zero);
    expect(graph.constant(Float32Array.of(-0), [1])).not.toBe(zero);
    expect(graph.constants).toHaveLength(6);
  });

  test("a view into a larger buffer is stored as what it shows", async () => {
    const graph = new Graph();
    const data = Float32Array.of(1, 2, 3, 4, 5).subarray(1, 4);
    const y = scale(graph.constant(data, [3]), 2);
    expect([...(await evaluate(graph, { y })).y]).toEqual([4, 6, 8]);
  });

  test("numbers that do not fill the shape are refused", () => {
    expect(() => new Graph().constant(Float32Array.of(1, 2), [3])).toThrow(
      "Graph.constant: expected 3 numbers, got 2",
    );
  });
});

test("a name is given once, to inputs and nodes alike", () => {
  const graph = new Graph();
  const x = graph.input("x", [1]);
  expect(() => graph.input("x", [2])).toThrow('Graph.input: expected a new name, got "x"');
  const y = sigmoid(x);
  expect(() => graph.input(y.name, [2])).toThrow(/expected a new name/);
  const next = `Sigmoid_${Number(y.name.split("_")[1]) + 1}`;
  graph.input(next, [1]);
  expect(sigmoid(y).name).not.toBe(next);
});

test("nodes that no output needs are not live", () => {
  const graph = new Graph();
  const x = graph.input("x", [3]);
  const y = sigmoid(x);
  silu(scale(x, 4));
  expect(liveNodes(graph, [y]).map(({ op }) => op)).toEqual(["Sigmoid"]);
});

test("a node needs a graph", () => {
  expect(() => node("Sigmoid", [], { shape: [] })).toThrow(
    "node: expected an input, or a graph, got neither",
  );
});
