/** @file The devices that ONNX Runtime has been compiled for, and which of them compute on this machine: each is tried. */

import { fail } from "../../core/error.ts";
import { type Tried, tryProvider } from "../../executors/provider-check.ts";
import { onnxRuntime, onnxRuntimePath } from "../../tensor/onnx-runtime-node.ts";

export interface Provider {
  readonly name: string;
  /** Compiled into the library; otherwise loaded from separate files, which may be missing. */
  readonly compiledIn: boolean;
  readonly tried: Tried;
  /** Whether `--device` takes it. */
  readonly device: boolean;
}

/** ModelProto: ir_version 8, opset 13, graph "doctor": MatMul(x [1,2], w [2,2]) -> y [1,2], float32. */
export const matrixProduct = Buffer.from(
  "CAg6WgoRCgF4CgF3EgF5IgZNYXRNdWwSBmRvY3RvcloTCgF4Eg4KDAgBEggKAggBCgIIAloTCgF3Eg4KDAgBEggKAggCCgIIAmITCgF5Eg4KDAgBEggKAggBCgIIAkICEA0=",
  "base64",
);
/** [1 2] [[3 4] [5 6]]. */
export const expectedProduct = "13,16";

const devices = ["cpu", "cuda", "webgpu"];

const attempt = (provider: string) =>
  tryProvider({ runtime: onnxRuntimePath(), provider, model: matrixProduct, expected: expectedProduct });

export async function examineProviders(): Promise<Provider[]> {
  const known = onnxRuntime().listSupportedBackends();
  return Promise.all(
    known.map(async ({ name, bundled }) => ({
      ...{ name, compiledIn: bundled, device: devices.includes(name) },
      tried: await attempt(name),
    })),
  );
}

/** What CUDA needs, where it does not run. */
export const CUDA_HINT = "CUDA needs CUDA 12, cuDNN 9 and its provider: npm install onnxruntime-node";

const tries = new Map<string, Promise<Tried>>();

/** Errors: LabError in one sentence for a device that does not compute here. */
export async function refuseDevice(device: string): Promise<void> {
  if (device === "cpu" || !devices.includes(device)) return; // of others the runtime says more
  const trial = tries.get(device) ?? attempt(device);
  tries.set(device, trial);
  const tried = await trial;
  if (tried.ok) return;
  const hint = device === "cuda" ? CUDA_HINT : "What runs here: statelab doctor";
  fail("device", `${device} to run on this machine`, tried.reason, hint);
}
