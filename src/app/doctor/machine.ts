/** @file What a machine has: Node, processor, memory, and whether ONNX Runtime multiplies two matrices on it. */

import { availableParallelism, cpus, freemem, totalmem } from "node:os";
import { performance } from "node:perf_hooks";
import type { Machine } from "../../schemas/experiment-result.ts";
import { labVersion } from "../../storage/version.ts";
import { onnxRuntime } from "../../tensor/onnx-runtime-node.ts";
import { examineProviders, expectedProduct, matrixProduct, type Provider } from "./providers.ts";

export interface RuntimeReport {
  readonly version: string;
  readonly providers: readonly Provider[];
  /** The seconds that a session took to be made and run once, or why it could not. */
  readonly session:
    | { readonly ok: true; readonly seconds: number }
    | { readonly ok: false; readonly reason: string };
}

/** What a result was made on. */
export const thisMachine = (): Machine => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processor: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  memoryGiB: gibibytes(totalmem()),
});

export async function examineMachine() {
  const runtime = await examineRuntime();
  return {
    statelab: labVersion(),
    ...thisMachine(),
    freeMemoryGiB: gibibytes(freemem()),
    onnxRuntime: runtime,
  };
}

/** y = x W with x = [1 2], W = [[3 4] [5 6]]: in this process on the CPU, and on every device in a child process. */
async function examineRuntime(): Promise<RuntimeReport> {
  const started = performance.now();
  try {
    const runtime = onnxRuntime();
    const version = runtime.env.versions.node ?? runtime.env.versions.common;
    const session = await runtime.InferenceSession.create(matrixProduct, { logSeverityLevel: 3 });
    const { y } = await session.run({
      x: new runtime.Tensor("float32", Float32Array.of(1, 2), [1, 2]),
      w: new runtime.Tensor("float32", Float32Array.of(3, 4, 5, 6), [2, 2]),
    });
    const seconds = (performance.now() - started) / 1000;
    const right = String(y.data) === expectedProduct;
    return {
      version: version ?? "unknown",
      providers: await examineProviders(),
      session: right
        ? { ok: true, seconds }
        : { ok: false, reason: `expected ${expectedProduct}, got ${y.data}` },
    };
  } catch (error) {
    return { version: "none", providers: [], session: { ok: false, reason: String(error) } };
  }
}

function gibibytes(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}
