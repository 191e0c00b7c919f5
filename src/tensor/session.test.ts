import type { InferenceSession } from "onnxruntime-common";
import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { sigmoid } from "./activations.ts";
import { add, multiply, scale, subtract, sum } from "./arithmetic.ts";
import { runtime } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { compile, type Device, emptyData } from "./session.ts";
import { nodeRuntime } from "./session-node.ts";

test("missing, short and wrongly typed inputs are LabErrors that name the input", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 3]);
  const { run, release } = await compile(graph, { y: sigmoid(x) }, runtime);
  await expect(run({})).rejects.toThrow('run: expected 6 numbers [2,3] for x, got "nothing"');
  await expect(run({ x: new Float32Array(5) })).rejects.toThrow("run: expected 6 numbers [2,3] for x, got 5");
  await expect(run({ x: new Float32Array(5) })).rejects.toBeInstanceOf(LabError);
  await expect(run({ x: new Int32Array(6) })).rejects.toThrow(
    'run: expected float32 numbers for x, got "int32"',
  );
  await expect(run({ x: new Float32Array(6) }, { y: new Float32Array(5) })).rejects.toThrow(
    "run: expected 6 numbers [2,3] for y, got 5",
  );
  expect((await run({ x: new Float32Array(6) })).y).toEqual(new Float32Array(6).fill(0.5));
  await release();
});

test.each([
  "Non-zero status code returned while running Cast node. Name:'Cast_98' Status Message: std::bad_alloc",
  "/core/framework/bfc_arena.cc:360 void* onnxruntime::BFCArena::AllocateRawInternal(size_t) Failed to allocate",
])("too little memory is a LabError: %s", async (words) => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  const create = async () => ({ run: () => Promise.reject(new Error(words)), release: async () => {} });
  const ort = { ...runtime.ort, InferenceSession: { create } as never, Tensor: runtime.ort.Tensor };
  const { run } = await compile(graph, { y: sigmoid(x) }, { ...runtime, ort });
  await expect(run({ x: new Float32Array(2) })).rejects.toThrow(
    "run: expected memory for the arrays of the model, got too little. Use more",
  );
});

test("arrays given for outputs are filled in place, and the others are new at every run", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  const { run, release } = await compile(
    graph,
    { double: scale(x, 2), half: scale(x, 0.5), same: x },
    runtime,
  );
  const into = { double: new Float32Array(2), same: new Float32Array(2) };
  const first = await run({ x: Float32Array.of(1, 2) }, into);
  expect(first.double).toBe(into.double);
  expect([...into.double, ...into.same]).toEqual([2, 4, 1, 2]);
  const second = await run({ x: Float32Array.of(3, 4) }, into);
  expect([...into.double, ...into.same]).toEqual([6, 8, 3, 4]);
  expect([...first.half, ...second.half]).toEqual([0.5, 1, 1.5, 2]);
  await release();
});

test("a parameter and its update may have one name, but not one array", async () => {
  const graph = new Graph();
  const w = graph.input("w", [2]);
  const loss = sum(multiply(w, w));
  const [dw] = grad(loss, [w]);
  const { run, release } = await compile(graph, { loss, w: subtract(w, scale(dw, 0.25)) }, runtime);
  let [now, next] = [Float32Array.of(8, -4), new Float32Array(2)];
  const losses: number[] = [];
  for (let step = 0; step < 3; step++) {
    losses.push((await run({ w: now }, { w: next })).loss[0] as number);
    [now, next] = [next, now];
  }
  expect(losses).toEqual([80, 20, 5]);
  expect([...now]).toEqual([1, -0.5]);
  await expect(run({ w: now }, { w: now })).rejects.toThrow(
    'run: expected results to be written beside the input w, got "the same memory". Exchange two arrays',
  );
  const both = Float32Array.of(1, 2, 3);
  await expect(run({ w: both.subarray(0, 2) }, { w: both.subarray(1) })).rejects.toThrow(/the same memory/);
  await release();
});

test("every dtype goes in and out as it is", async () => {
  const graph = new Graph();
  const inputs = [
    graph.input("a", [2], "int32"),
    graph.input("b", [2], "int64"),
    graph.input("c", [2], "bool"),
    graph.input("d", [2], "float32"),
  ];
  const outputs = Object.fromEntries(inputs.map((input, i) => [`${i}`, input]));
  const { run, release } = await compile(graph, outputs, runtime);
  const feeds = {
    a: Int32Array.of(-1, 2),
    b: BigInt64Array.of(-1n, 2n ** 60n),
    c: Uint8Array.of(0, 1),
    d: Float32Array.of(0.5, -0),
  };
  expect(Object.values(await run(feeds))).toEqual(Object.values(feeds));
  for (const { name, dtype } of inputs) {
    expect(emptyData(dtype, 2).constructor).toBe(feeds[name as keyof typeof feeds].constructor);
  }
  await release();
});

test("two runs at once do not disturb each other", async () => {
  const graph = new Graph();
  const x = graph.input("x", [64, 64]);
  const { run, release } = await compile(graph, { y: add(matmul(x, x), x) }, runtime);
  const results = await Promise.all([1, 2, 3].map((n) => run({ x: new Float32Array(4096).fill(n) })));
  expect(results.map(({ y }) => [...new Set(y as Float32Array)])).toEqual([[65], [258], [579]]);
  await release();
});

test("a device that fails to start is a LabError, a broken model on the CPU is not", async () => {
  const graph = new Graph();
  const y = sigmoid(graph.input("x", [1]));
  const broken = (device: Device) => ({
    ...runtime,
    device,
    ort: { ...runtime.ort, InferenceSession: { create: () => Promise.reject(new Error("no adapter")) } },
  });
  await expect(compile(graph, { y }, broken("webgpu"))).rejects.toThrow(
    'compile: expected a webgpu device that ONNX Runtime can use, got "no adapter"',
  );
  await expect(compile(graph, { y }, broken("webgpu"))).rejects.toBeInstanceOf(LabError);
  await expect(compile(graph, { y }, broken("cpu"))).rejects.not.toBeInstanceOf(LabError);
});

test("a device that is lost is a LabError that says how to continue, a failure of the CPU is not", async () => {
  const graph = new Graph();
  const y = sigmoid(graph.input("x", [1]));
  const lost = (device: Device) => {
    const session = { run: () => Promise.reject(new Error("WebGPU device lost (1): removed")) };
    const create = () => Promise.resolve(session as unknown as InferenceSession);
    return { ...runtime, device, ort: { ...runtime.ort, InferenceSession: { create } } };
  };
  const x = Float32Array.of(1);
  const onGpu = await compile(graph, { y }, lost("webgpu"));
  const failure = await onGpu.run({ x }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LabError);
  expect(String(failure)).toMatch(/got "WebGPU device lost \(1\): removed"\. .*--resume RUN$/);
  const onCpu = await compile(graph, { y }, lost("cpu"));
  await expect(onCpu.run({ x })).rejects.not.toBeInstanceOf(LabError);
});

test("devices that are not there are refused, with those that are", () => {
  expect(() => nodeRuntime({ device: "gpu" as Device })).toThrow(
    /^nodeRuntime: expected a device of .*cpu.*, got "gpu"/,
  );
  expect(() => nodeRuntime({ device: "wasm" })).toThrow("wasm runs in the browser");
});
