/** @file Setup of a training in the page: the configuration of a choice, the runtime, tests on programs two and four times as long. */

import type { InferenceSession, Tensor } from "onnxruntime-web";
import { zooConfig } from "../../experiments/zoo/config.ts";
import { columns, rows, settings as zoo } from "../../experiments/zoo/data.ts";
import { fail } from "../../src/core/error.ts";
import { exampleStream } from "../../src/core/rng.ts";
import { parseWith } from "../../src/core/settings.ts";
import { parameterShapes } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import type { Runtime } from "../../src/tensor/index.ts";
import { evaluate } from "../../src/train/evaluate.ts";
import type { Trainer } from "../../src/train/trainer.ts";
import { asking, type Choice, type Device, pageConfig, tasks } from "./settings.ts";

/** ONNX Runtime for a device. */
export interface Engine {
  readonly device: Device;
  /** The device's file: nothing is loaded from elsewhere. */
  readonly wasm: ArrayBuffer;
}

/** A page or worker has one engine. */
export async function pageRuntime({ device, wasm }: Engine): Promise<Runtime> {
  const ort = await (device === "webgpu" ? import("onnxruntime-web/jspi") : import("onnxruntime-web/wasm"));
  const { env, Tensor } = ort;
  env.wasm.wasmBinary = wasm;
  env.wasm.numThreads = 1;
  env.wasm.proxy = false;
  env.logLevel = "error";
  const create = async (model: Uint8Array, options: InferenceSession.SessionOptions) => {
    const session = await ort.InferenceSession.create(model, options);
    return {
      release: () => session.release(),
      async run(feeds: InferenceSession.FeedsType, fetches: Readonly<Record<string, Tensor | null>>) {
        const entries = Object.entries(fetches);
        const onDevice = entries.map(([name, target]) => [name, isOnDevice(target) ? target : null] as const);
        const results = await session.run(feeds, Object.fromEntries(onDevice));
        for (const [name, target] of entries)
          if (target !== null && !isOnDevice(target))
            (target.data as Float32Array).set(results[name].data as Float32Array); // the types are the graph's
        return results;
      },
    };
  };
  const gpu = device === "webgpu" ? await openGpu() : undefined;
  return {
    device: gpu === undefined ? "wasm" : "webgpu",
    ort: { InferenceSession: { create } as unknown as typeof InferenceSession, Tensor }, // all that the lab calls of it
    options: {
      executionProviders: [gpu === undefined ? "wasm" : { name: "webgpu", device: gpu }],
      graphOptimizationLevel: "all",
      logSeverityLevel: 3,
    },
    ...(gpu && { place: buffersOf(gpu, Tensor), transfers: { bytes: 0 } }),
  };
}

/** All that the adapter can do, since ONNX Runtime uses what it finds. */
async function openGpu(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) return fail("device", "a WebGPU adapter", "none", "Choose the CPU");
  const requiredLimits: Record<string, number> = {};
  for (const name in adapter.limits)
    requiredLimits[name] = adapter.limits[name as keyof GPUSupportedLimits] as number; // a limit is a number
  return adapter.requestDevice({
    requiredFeatures: [...adapter.features] as GPUFeatureName[], // the names are its own
    requiredLimits,
  });
}

const isOnDevice = (target: Tensor | null) => target?.location === "gpu-buffer";

/** Flags of WebGPU's buffers, which TypeScript's library lacks. */
const [MAP_READ, COPY_SRC, COPY_DST, STORAGE] = [0x1, 0x4, 0x8, 0x80];

/** Arrays in buffers of a GPU, which WebGPU measures in multiples of 16 bytes. */
const buffersOf =
  (gpu: GPUDevice, { fromGpuBuffer }: Pick<typeof Tensor, "fromGpuBuffer">): NonNullable<Runtime["place"]> =>
  (data, shape) => {
    const bytes = 16 * Math.ceil(data.byteLength / 16);
    const buffer = gpu.createBuffer({ size: bytes, usage: STORAGE | COPY_SRC | COPY_DST });
    gpu.queue.writeBuffer(buffer, 0, data);
    return {
      tensor: fromGpuBuffer(buffer, { dataType: "float32", dims: shape }),
      async read(into) {
        const copy = gpu.createBuffer({ size: bytes, usage: MAP_READ | COPY_DST });
        const encoder = gpu.createCommandEncoder();
        encoder.copyBufferToBuffer(buffer, 0, copy, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        await copy.mapAsync(MAP_READ);
        into.set(new Float32Array(copy.getMappedRange(), 0, into.length));
        copy.destroy();
      },
      release: () => buffer.destroy(),
    };
  };

export interface Beyond {
  /** In words, or in commands. */
  readonly length: number;
  readonly unit: string;
  /** Share of the last answers of so many programs. */
  readonly right: number;
  readonly programs: number;
}

const PROGRAMS = 100;
const TIMES = [1, 2, 4];
/** The field of the task that is the length of a program, and its unit. */
const fields = { length: "words", commands: "commands" } as const;

/** Empty where the task has no length. Programs that were trained on are passed over. */
export async function longerTests(
  { model, data, parameters, trained }: Trainer,
  { task, seed }: RunConfig,
  runtime: Runtime,
): Promise<Beyond[]> {
  const field = (Object.keys(fields) as (keyof typeof fields)[]).find((name) => task[name] !== undefined);
  if (field === undefined) return [];
  const longest = Math.max(...[task[field]].flat().map(Number));
  const weights = { tree: parameterShapes(model), data: parameters };
  const found: Beyond[] = [];
  for (const times of TIMES) {
    const length = times * longest;
    const test = {
      prepared: data.variant({ [field]: length }, "test"),
      tokenizer: data.tokenizer,
      stream: exampleStream(seed, "test"),
      programs: PROGRAMS,
      ...(times === 1 && { exclude: new Set([...trained(), ...(data.heldOut?.hashes ?? [])]) }),
    };
    const { accuracyLast, programs } = await evaluate(model, weights, test, runtime);
    found.push({ length, unit: fields[field], right: accuracyLast, programs });
  }
  return found;
}

export function chosenConfig(choice: Choice, model: string): RunConfig {
  const { column } = tasks[choice.task];
  if (column === undefined) return parseWith(RunConfig, pageConfig(choice, model), "config");
  const { seed, rate, steps } = choice;
  const { train, ...config } = zooConfig(zoo.laptop, rows[model], columns[column], { seed, rate });
  return parseWith(RunConfig, { ...config, train: { ...train, steps, ...asking } }, "config");
}
