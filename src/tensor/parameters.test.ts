import { expect, test } from "vitest";
import { Graph } from "./graph.ts";
import { flattenParameters, shapesOf, withData } from "./parameters.ts";

const leaf = (...shape: number[]) => ({
  shape,
  data: new Float32Array(shape.reduce((a, b) => a * b)).fill(3),
});
/** One of its branches is called shape. */
const tree = { embedding: leaf(5, 2), layers: { shape: { q: leaf(2, 2), out: leaf(2, 3) } } };

test("parameters become inputs named by their paths, in the shape of their tree", () => {
  const graph = new Graph();
  const p = graph.parameters(tree);
  expect(p.layers.shape.out.shape).toEqual([2, 3]);
  expect(graph.inputs.map(({ name }) => name)).toEqual(["embedding", "layers.shape.q", "layers.shape.out"]);
  expect(flattenParameters(tree).map(([path]) => path)).toEqual(graph.inputs.map(({ name }) => name));
});

test("a tree of shapes makes the same graph, and with numbers it is the tree", () => {
  const shapes = shapesOf(tree);
  expect(shapes).toEqual({
    embedding: { shape: [5, 2] },
    layers: { shape: { q: { shape: [2, 2] }, out: { shape: [2, 3] } } },
  });
  const [whole, bare] = [tree, shapes].map((each) => {
    const graph = new Graph();
    graph.parameters(each);
    return graph.inputs.map(({ name, shape }) => ({ name, shape }));
  });
  expect(bare).toEqual(whole);
  const numbers = Object.fromEntries(flattenParameters(tree).map(([path, { data }]) => [path, data]));
  expect(withData(shapes, numbers)).toEqual(tree);
});
