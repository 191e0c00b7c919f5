import { PbfReader } from "pbf";
import { describe, expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { rngFrom } from "../core/rng.ts";
import { sigmoid, silu, tanh } from "./activations.ts";
import { add, multiply, reshape, scale } from "./arithmetic.ts";
import { causalAttention } from "./attention.ts";
import { causalConvolution } from "./causal-convolution.ts";
import { drawn, evaluate, relativeError, runtime } from "./check.test-helper.ts";
import { deltaRule } from "./delta-rule.ts";
import { embedding } from "./embedding.ts";
import { Graph, type Tensor } from "./graph.ts";
import { linear } from "./matmul.ts";
import { rmsNorm, unitNorm } from "./normalize.ts";
import { writeOnnx } from "./onnx.ts";
import { rotary, rotaryAngles } from "./rotary.ts";
import { scan } from "./scan.ts";
import { slice, transpose } from "./shape.ts";
import { softmax } from "./softmax.ts";

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

/** A bit of everything that models are made of. */
function everything(graph: Graph): Record<string, Tensor> {
  const tokens = graph.input("tokens", [2, 11], "int32");
  const table = graph.input("table", [5, 8]);
  const W = graph.input("W", [8, 8]);
  const taps = graph.input("taps", [4, 8]);
  const x = rmsNorm(embedding(table, tokens)); // [2, 11, 8]
  const mixed = silu(causalConvolution(linear(x, W), taps));
  const heads = reshape(mixed, [2, 11, 2, 4]);
  const beta = scale(sigmoid(reshape(slice(mixed, 2, 0, 2), [2, 11, 2])), 2);
  const key = unitNorm(heads);
  const o = deltaRule(key, key, heads, beta, { chunk: 4 });
  const { cos, sin } = rotaryAngles(11, 4);
  const angles = { cos: graph.constant(cos, [11, 2]), sin: graph.constant(sin, [11, 2]) };
  const q = rotary(transpose(heads, [0, 2, 1, 3]), angles);
  const attended = causalAttention(q, q, q, { block: 5 });
  const { outputs } = scan(
    [transpose(mixed, [1, 0, 2])],
    [slice(x, 1, 0, 1)].map((each) => reshape(each, [2, 8])),
    ([h], [now]) => {
      const next = tanh(add(linear(h, W), now));
      return { states: [next], outputs: [next] };
    },
  );
  return { o, attended, recurrent: outputs[0], p: softmax(linear(mixed, W)) };
}

interface Found {
  readonly domains: Set<string>;
  readonly operators: Set<string>;
}

/** The domains and operators of a model, read from its bytes by field number; those in the bodies of its scans too. */
function operatorsOf(bytes: Uint8Array): Found {
  const found = { domains: new Set<string>(), operators: new Set<string>() };
  return new PbfReader(bytes).readFields((field, _, model) => {
    if (field === 7) model.readMessage(readGraph, found);
    if (field === 8) model.readMessage(readOperatorSet, found);
  }, found);
}

function readOperatorSet(field: number, found: Found, set: PbfReader): void {
  if (field === 1) found.domains.add(set.readString());
}

function readGraph(field: number, found: Found, graph: PbfReader): void {
  if (field === 1) graph.readMessage(readNode, found);
}

function readNode(field: number, found: Found, node: PbfReader): void {
  if (field === 4) found.operators.add(node.readString());
  if (field === 5) node.readMessage(readAttribute, found);
  if (field === 7) found.domains.add(node.readString());
}

function readAttribute(field: number, found: Found, attribute: PbfReader): void {
  if (field === 6) attribute.readMessage(readGraph, found);
}

describe("a portable graph", () => {
  const graphs = [new Graph(), new Graph({ portable: true })];
  const outputs = graphs.map(everything);
  const models = graphs.map((graph, i) => operatorsOf(writeOnnx(graph, outputs[i])));

  test("has standard operators only, in the bodies of its scans too, where the fast one has others", () => {
    const [fast, portable] = models;
    expect([...fast.domains].sort()).toEqual(["", "com.microsoft"]);
    expect([...fast.operators]).toContain("FusedMatMul");
    expect([...portable.domains]).toEqual([""]);
    expect([...portable.operators]).toContain("Scan");
    expect([...portable.operators]).not.toContain("FusedMatMul");
  });

  test("gives the same numbers", async () => {
    const rng = rngFrom(11);
    const feeds = Object.fromEntries(
      graphs[0].inputs.map(({ name, shape, dtype }) => [
        name,
        dtype === "int32"
          ? Int32Array.from({ length: 22 }, () => rng.below(5))
          : Float32Array.from(drawn({ shape }, rng).data),
      ]),
    );
    const [fast, portable] = await Promise.all(graphs.map((graph, i) => evaluate(graph, outputs[i], feeds)));
    for (const name of Object.keys(fast))
      expect(relativeError(portable[name], fast[name]), name).toBeLessThan(1e-5);
  });
});
