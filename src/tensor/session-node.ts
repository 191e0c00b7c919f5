/** @file ONNX Runtime for Node, loaded on first use. */

import { availableParallelism } from "node:os";
import { fail } from "../core/error.ts";
import { onnxRuntime } from "./onnx-runtime-node.ts";
import type { Device, Runtime } from "./session.ts";
import { openWorkerRuntime } from "./worker-node.ts";

interface NodeRuntimeOptions {
  readonly device?: Device;
  /** Threads within an op. With 1, results are bitwise reproducible. */
  readonly threads?: number;
}

/** Errors: LabError for a device that this machine or build does not support. */
export function nodeRuntime({ device = "cpu", threads = 1 }: NodeRuntimeOptions = {}): Runtime {
  if (device === "wasm") fail("nodeRuntime", "cpu, cuda or webgpu", device, "wasm runs in the browser");
  const ort = onnxRuntime();
  const known = ort.listSupportedBackends().map((backend) => backend.name as string);
  if (!known.includes(device)) fail("nodeRuntime", `a device of ${known.join(", ")}`, device);
  const runtime: Runtime = {
    device,
    ort,
    options: {
      executionProviders: device === "cpu" ? ["cpu"] : [device, "cpu"],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: "all",
      logSeverityLevel: 4, // errors are thrown; logging would report them twice
      // Flush denormals: they are a hundred times slower and have no visible effect.
      extra: { session: { set_denormal_as_zero: "1", intra_op: { allow_spinning: "0" } } },
    },
  };
  if (device !== "cpu") return runtime;
  const workers = Math.max(1, Math.floor(cores() / threads));
  return { ...runtime, workers, openWorker: openWorkerRuntime };
}

/** Cores that this process may use: fewer by OMP_NUM_THREADS, as for other numeric programs. */
function cores(): number {
  const most = Number(process.env.OMP_NUM_THREADS);
  const available = availableParallelism();
  return Number.isInteger(most) && most > 0 ? Math.min(most, available) : available;
}
