/**
 * @file Loads ONNX Runtime's binding for Node: an installed one, which may have CUDA, else the one bundled with the package.
 *
 *     node_modules/onnxruntime-node             in a checkout, and where a user has installed it
 *     node_modules/statelab/vendor/...          in the package (vendor.mjs)
 */

import { modulePath, require } from "../core/bundled-module-node.ts";
import { fail } from "../core/error.ts";

type OnnxRuntime = typeof import("onnxruntime-node");

/** Errors: LabError if this platform has none. */
export function onnxRuntime(): OnnxRuntime {
  const path = onnxRuntimePath();
  try {
    return require(path);
  } catch (error) {
    const { platform, arch } = process;
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return fail(
      "ONNX Runtime",
      `a library for ${platform} on ${arch}`,
      why,
      "Install onnxruntime-node beside statelab",
    );
  }
}

/** Its module. Errors: LabError if there is none. */
export function onnxRuntimePath(): string {
  return (
    modulePath("onnxruntime-node", "installed") ??
    fail(
      "ONNX Runtime",
      "onnxruntime-node, or the vendor folder of the package",
      "neither",
      "Reinstall statelab",
    )
  );
}
