/**
 * @file ONNX Runtime in the page: WebAssembly, one thread, so that a training repeats itself bit for bit in the same engine.
 *
 * onnxruntime-web leaves arrays untouched that were handed in for outputs (its issue 25786): a gradient would stay 0. So outputs are fetched by
 * their names here, and copied to where the lab asked for them.
 */

import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import type { Runtime } from "../../src/tensor/index.ts";

/** `wasm` is the file ort-wasm-simd-threaded.wasm: nothing is loaded from elsewhere. */
export function pageRuntime(wasm: ArrayBuffer): Runtime {
  env.wasm.wasmBinary = wasm;
  env.wasm.numThreads = 1;
  env.wasm.proxy = false;
  env.logLevel = "error";
  const create = async (model: Uint8Array, options: InferenceSession.SessionOptions) => {
    const session = await InferenceSession.create(model, options);
    return {
      release: () => session.release(),
      async run(feeds: InferenceSession.FeedsType, fetches: Readonly<Record<string, Tensor | null>>) {
        const results = await session.run(feeds, Object.keys(fetches));
        for (const [name, target] of Object.entries(fetches))
          if (target !== null) (target.data as Float32Array).set(results[name].data as Float32Array); // the types are the graph's
        return results;
      },
    };
  };
  return {
    device: "wasm",
    ort: { InferenceSession: { create } as unknown as typeof InferenceSession, Tensor }, // all that the lab calls of it
    options: { executionProviders: ["wasm"], graphOptimizationLevel: "all", logSeverityLevel: 3 },
  };
}
