import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { sigmoid, tanh } from "./activations.ts";
import { add, multiply, scale } from "./arithmetic.ts";
import { evaluate, runtime } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { linear } from "./matmul.ts";
import { writeOnnx } from "./onnx.ts";
import { scan } from "./scan.ts";

const { ort, options } = runtime;

/** Runs the bytes of a model by ONNX Runtime alone, without the lab's session. */
async function runBytes(
  bytes: Uint8Array,
  feeds: Record<string, Float32Array | Int32Array>,
  shapes: Record<string, number[]>,
) {
  const session = await ort.InferenceSession.create(bytes, options);
  const wrapped = Object.entries(feeds).map(([name, data]) => {
    return [
      name,
      new ort.Tensor(data instanceof Int32Array ? "int32" : "float32", data as Float32Array, shapes[name]),
    ];
  });
  const results = await session.run(Object.fromEntries(wrapped));
  const { inputNames, outputNames } = session;
  await session.release();
  return { results, inputNames, outputNames };
}

test("a written model is loaded by its names and computes what the graph says", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3]);
  const w = graph.input("layer.w", [3, 1]);
  const bytes = writeOnnx(graph, { y: linear(x, w), twice: scale(x, 2) });
  const { results, inputNames, outputNames } = await runBytes(
    bytes,
    { x: Float32Array.of(1, 2, 3, 4, 5, 6), "layer.w": Float32Array.of(1, 10, 100) },
    { x: [2, 3], "layer.w": [3, 1] },
  );
  expect(inputNames).toEqual(["x", "layer.w"]);
  expect(outputNames).toEqual(["y", "twice"]);
  expect([...(results.y.data as Float32Array)]).toEqual([321, 654]);
  expect(results.y.dims).toEqual([2, 1]);
  expect([...(results.twice.data as Float32Array)]).toEqual([2, 4, 6, 8, 10, 12]);
});

test("weights are stored in the file, and no longer inputs", async () => {
  const graph = new Graph();
  const x = graph.input("x", [1, 2]);
  const w = graph.input("w", [2, 2]);
  const bytes = writeOnnx(graph, { y: linear(x, w) }, { w: Float32Array.of(1, 2, 3, 4) });
  const { results, inputNames } = await runBytes(bytes, { x: Float32Array.of(1, 10) }, { x: [1, 2] });
  expect(inputNames).toEqual(["x"]);
  expect([...(results.y.data as Float32Array)]).toEqual([31, 42]);
  expect(() => writeOnnx(graph, { y: x }, { w: new Float32Array(3) })).toThrow(
    "writeOnnx: expected 4 weights for w, got 3",
  );
});

test("one tensor can be fetched under two names, and inputs, weights and constants under others", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  const w = graph.input("w", [2]);
  const y = sigmoid(x);
  const c = graph.constant(Int32Array.of(7), [1]);
  const bytes = writeOnnx(
    graph,
    { first: y, second: y, input: x, weight: w, c },
    { w: Float32Array.of(5, 6) },
  );
  const { results } = await runBytes(bytes, { x: Float32Array.of(0, 0) }, { x: [2] });
  const read = (name: string) => [...(results[name].data as Float32Array)];
  expect(read("first")).toEqual([0.5, 0.5]);
  expect(read("second")).toEqual([0.5, 0.5]);
  expect(read("input")).toEqual([0, 0]);
  expect(read("weight")).toEqual([5, 6]);
  expect(read("c")).toEqual([7]);
});

test("an output may be what a scan's body uses from outside", async () => {
  const graph = new Graph();
  const x = graph.input("x", [3, 1]);
  const doubled = scale(graph.input("w", [1]), 2);
  const { states } = scan([x], [graph.constant(Float32Array.of(0), [1])], ([a], [b]) => ({
    states: [add(a, multiply(b, doubled))],
    outputs: [],
  }));
  const results = await evaluate(
    graph,
    { doubled, last: states[0] },
    { x: Float32Array.of(1, 2, 3), w: Float32Array.of(5) },
  );
  expect([...results.doubled, ...results.last]).toEqual([10, 60]);
});

test("an output with the name of an input is refused by name", () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  expect(() => writeOnnx(graph, { x: sigmoid(x) })).toThrow(LabError);
  expect(() => writeOnnx(graph, { x })).toThrow(
    'writeOnnx: expected an output name that no input has, got "x"',
  );
});

test("only what the outputs need is written", () => {
  const graph = new Graph();
  const x = graph.input("x", [64, 64]);
  const y = sigmoid(x);
  const before = writeOnnx(graph, { y }).length;
  for (let i = 0; i < 50; i++) tanh(scale(y, i));
  graph.constant(new Float32Array(10_000).fill(3), [10_000]);
  expect(writeOnnx(graph, { y }).length).toBe(before);
});
