/** @file PyTorch and jax-js as contenders, on the CPU, each in a separate process: `pytorch.py`, `jax-js.mjs`. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { benchFile, type Contender } from "./baseline.ts";
import { prepareChild } from "./child.ts";

const python = process.env.STATELAB_BENCH_PYTHON ?? "/usr/bin/python3";

/** Without variables that hold OpenBLAS to an older kernel than the processor has. */
function environment(): NodeJS.ProcessEnv {
  const { OPENBLAS_CORETYPE: _kernel, OPENBLAS_L2_SIZE: _cache, ...rest } = process.env;
  return rest;
}

/** The version, and the BLAS: "1.13.0, OpenBLAS" with Debian's packages; undefined if there is no PyTorch. */
export function pytorchVersion(): string | undefined {
  const program = "import torch; print(torch.__version__)";
  try {
    return execFileSync(python, ["-c", program], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

export const pytorch: Contender = {
  name: "PyTorch 1.13 + OpenBLAS",
  async prepare(problem) {
    const version = pytorchVersion();
    if (version === undefined)
      return { skipped: `${python} has no torch; bench/README.md says how to install it` };
    if (!version.startsWith("1.13")) return { skipped: `torch 1.13 is compared, ${python} has ${version}` };
    const script = benchFile("train-step/pytorch.py");
    return prepareChild("PyTorch", problem, python, (path) => [script, path], environment());
  },
};

/** The ES module of @jax-js/jax: in the folder STATELAB_BENCH_JAXJS (which has node_modules), or next to the project. */
export function findJaxJs(): string | undefined {
  const folder = process.env.STATELAB_BENCH_JAXJS;
  const from = folder === undefined ? import.meta.url : join(resolve(folder), "package.json");
  try {
    const path = join(dirname(createRequire(from).resolve("@jax-js/jax")), "index.js");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Beyond this width a step takes the better part of a minute, and the comparison hours. */
const WIDEST = 128;

export const jaxJs: Contender = {
  name: "jax-js (WebAssembly)",
  async prepare(problem) {
    if (problem.config.width > WIDEST) return { skipped: `it is measured up to d = ${WIDEST}` };
    const library = findJaxJs();
    if (library === undefined) {
      return { skipped: "@jax-js/jax is not installed; bench/README.md says how to install it" };
    }
    const script = benchFile("train-step/jax-js.mjs");
    // Fused multiply-add in WebAssembly: enabled by a flag in Node 20, always on in later ones.
    const flags = process.versions.node.startsWith("20.") ? ["--experimental-wasm-relaxed-simd"] : [];
    return prepareChild("jax-js", problem, process.execPath, (path) => [...flags, script, library, path]);
  },
};
