/**
 * @file Runs a graph: one interface over ONNX Runtime in Node (CPU, CUDA, WebGPU) and in the browser (WASM, WebGPU).
 *
 *     const run = await compile(graph, { loss }, runtime);
 *     const { loss } = await run({ tokens, ...weights });
 *
 * ONNX Runtime itself is an argument: `session-node.ts` supplies the native one, the web app onnxruntime-web.
 */

import type { InferenceSession, Tensor as OrtTensor, TensorConstructor } from "onnxruntime-common";
import { fail, Words } from "../core/error.ts";
import {
  type DataType,
  type Graph,
  type Shape,
  size,
  type Tensor,
  type TensorData,
  tensorDtype,
} from "./graph.ts";
import { writeOnnx } from "./onnx.ts";
import { lowerForWebgpu } from "./webgpu.ts";

export type Device = "cpu" | "webgpu" | "cuda" | "wasm";

export interface Runtime {
  readonly device: Device;
  readonly ort: {
    readonly InferenceSession: {
      create(model: Uint8Array, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
    };
    readonly Tensor: TensorConstructor;
  };
  readonly options: InferenceSession.SessionOptions;
  /** Threads that may compute at the same time, each with separate sessions; 1 if undefined. */
  readonly workers?: number;
  /** Starts another thread that computes, with the options of a runtime. */
  readonly openWorker?: (runtime: Runtime) => WorkerRuntime;
  /** Copies numbers into an array of the device; undefined if arrays cannot stay there between runs. */
  readonly place?: (data: Float32Array<ArrayBuffer>, shape: Shape) => DeviceArray;
  /** Bytes that runs copied between host and device so far; undefined if they share memory. */
  readonly transfers?: { bytes: number };
}

/** A runtime in a worker thread. */
export interface WorkerRuntime extends Runtime {
  close(): Promise<void>;
}

/** An array that stays in the memory of a device. */
export interface DeviceArray {
  /** For feeds and `into` of a run. */
  readonly tensor: OrtTensor;
  read(into: Float32Array): Promise<void>;
  release(): void;
}

/** Numbers, or arrays on the device, by input name; shapes are the graph's. */
export type Feeds = Readonly<Record<string, TensorData | OrtTensor>>;

export interface Compiled<Outputs extends string> {
  /**
   * Computes all outputs. Arrays in `into` receive their outputs; they may not share memory with an input. Those on the device are not
   * returned. Errors: LabError for an array that is missing, or of the wrong length or type, and for out of memory.
   */
  run(
    feeds: Feeds,
    into?: Partial<Record<Outputs, TensorData | OrtTensor>>,
  ): Promise<Record<Outputs, TensorData>>;
  /** The required inputs, in order. */
  readonly inputs: readonly Tensor[];
  release(): Promise<void>;
}

/** Errors: LabError for an unusable device. */
export async function compile<Outputs extends string>(
  given: Graph,
  wanted: Readonly<Record<Outputs, Tensor>>,
  { ort, options, device, transfers }: Runtime,
): Promise<Compiled<Outputs>> {
  const { graph, outputs } =
    device === "webgpu" ? lowerForWebgpu(given, wanted) : { graph: given, outputs: wanted };
  const names = Object.keys(outputs) as Outputs[]; // Object.keys forgets the key type
  // An output may have the name of an input, as a parameter and its update do; ONNX forbids it.
  const inModel = Object.fromEntries(
    names.map((name) => [name, graph.isTaken(name) ? `next ${name}` : name]),
  );
  const named = Object.fromEntries(names.map((name) => [inModel[name], outputs[name]]));
  const model = writeOnnx(graph, named);
  const session = await ort.InferenceSession.create(model, options).catch((cause: Error) => {
    // On the CPU it is an internal error and keeps its stack; elsewhere nearly always a missing driver or library.
    if (device === "cpu" || device === "wasm") throw cause;
    return fail("compile", `a ${device} device that ONNX Runtime can use`, cause.message.slice(0, 300));
  });
  const wrap = (
    { name, shape, dtype }: Pick<Tensor, "name" | "shape" | "dtype">,
    data: TensorData | OrtTensor,
  ): OrtTensor => {
    if (isOnDevice(data)) return data;
    if (transfers !== undefined) transfers.bytes += data?.byteLength ?? 0;
    if (data?.length !== size(shape)) {
      fail("run", `${size(shape)} numbers [${shape}] for ${name}`, data?.length ?? "nothing");
    }
    if (tensorDtype(data) !== dtype) fail("run", `${dtype} numbers for ${name}`, tensorDtype(data));
    return new ort.Tensor(dtype as "float32", data as Float32Array, shape); // the pair matches: both follow dtype
  };
  return {
    inputs: graph.inputs,
    async run(feeds, into = {}) {
      const wrapped = Object.fromEntries(
        graph.inputs.map((input) => [input.name, wrap(input, feeds[input.name])]),
      );
      const targets: Partial<Record<string, TensorData | OrtTensor>> = into; // the keys are Outputs: looked up by any string
      const overwritten = Object.values(targets).filter((target) => target !== undefined);
      for (const { name } of graph.inputs) {
        // An op may write its output before another has read the input.
        if (overwritten.some((target) => overlap(memory(target), memory(feeds[name])))) {
          fail(
            "run",
            `results to be written beside the input ${name}`,
            "the same memory",
            "Exchange two arrays",
          );
        }
      }
      const fetches: Record<string, OrtTensor | null> = {};
      for (const name of names) {
        const target = targets[name];
        fetches[inModel[name]] = target === undefined ? null : wrap({ ...outputs[name], name }, target);
      }
      const results = await session.run(wrapped, fetches).catch((cause: Error) => {
        if (!OUT_OF_MEMORY.test(cause.message)) {
          if (device === "cpu" || device === "wasm") throw cause;
          const hint = "It may be lost: run again; a training continues with statelab train --resume RUN";
          fail("run", `a ${device} device that computes`, cause.message.slice(0, 300), hint);
        }
        return fail("run", "memory for the arrays of the model", new Words("too little"), LESS);
      });
      const entries = names.flatMap((name) => {
        const target = targets[name];
        if (isOnDevice(target)) return [];
        const data = target ?? (results[inModel[name]].data as TensorData);
        if (transfers !== undefined && target === undefined) transfers.bytes += data.byteLength;
        return [[name, data] as const];
      });
      return Object.fromEntries(entries) as Record<Outputs, TensorData>; // exactly the names of `outputs`
    },
    release: () => session.release(),
  };
}

/** Out-of-memory messages of the C++ library, its arena, CUDA and WebAssembly. */
const OUT_OF_MEMORY = /bad_alloc|BFCArena::AllocateRaw|failed to allocate|out of memory/i;
const LESS = "Use more memory, shorter programs or smaller batches";

const isOnDevice = (data: TensorData | OrtTensor | undefined): data is OrtTensor =>
  data !== undefined && !ArrayBuffer.isView(data);

interface Memory {
  readonly buffer: object;
  readonly byteOffset: number;
  readonly byteLength: number;
}

function memory(data: TensorData | OrtTensor): Memory {
  return isOnDevice(data) ? { buffer: data, byteOffset: 0, byteLength: 1 } : data;
}

function overlap(x: Memory, y: Memory): boolean {
  if (x.buffer !== y.buffer) return false;
  return x.byteOffset < y.byteOffset + y.byteLength && y.byteOffset < x.byteOffset + x.byteLength;
}

export function emptyData(dtype: DataType, length: number): TensorData {
  switch (dtype) {
    case "float32":
      return new Float32Array(length);
    case "int32":
      return new Int32Array(length);
    case "int64":
      return new BigInt64Array(length);
    case "bool":
      return new Uint8Array(length);
    default:
      return dtype satisfies never;
  }
}
