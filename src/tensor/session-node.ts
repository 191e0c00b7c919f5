/** @file ONNX Runtime for Node: its native library, loaded when it is first asked for. */

import { fail } from "../core/error.ts";
import { onnxRuntime } from "./onnx-runtime-node.ts";
import type { Device, Runtime } from "./session.ts";

export interface NodeRuntimeOptions {
  readonly device?: Device;
  /** Threads within an op. With 1 the same seed gives the same bits. */
  readonly threads?: number;
}

/** Errors: LabError for a device that this machine or build does not have. */
export function nodeRuntime({ device = "cpu", threads = 1 }: NodeRuntimeOptions = {}): Runtime {
  if (device === "wasm") fail("nodeRuntime", "cpu, cuda or webgpu", device, "wasm runs in the page");
  const ort = onnxRuntime();
  const known = ort.listSupportedBackends().map((backend) => backend.name as string);
  if (!known.includes(device)) fail("nodeRuntime", `a device of ${known.join(", ")}`, device);
  return {
    device,
    ort,
    options: {
      executionProviders: device === "cpu" ? ["cpu"] : [device, "cpu"],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: "all",
      logSeverityLevel: 4, // an error is thrown; logged it would be said twice
      // Values below the normal range cost a hundred times more and change nothing that can be seen.
      extra: { session: { set_denormal_as_zero: "1", intra_op: { allow_spinning: "0" } } },
    },
  };
}
