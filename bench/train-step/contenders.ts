/** @file PyTorch and jax-js as contenders, on the CPU, each in a separate process: `pytorch.py`, `jax-js.mjs`. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { benchFile, type Contender } from "./baseline.ts";
import { prepareChild } from "./child.ts";

/** Run in the repository's folder; `python3` and the folder are those that the benchmark then uses. */
const INSTALL =
  "python3 -m pip install --target bench/train-step/python -r bench/train-step/requirements.txt";

/** The folder of Python packages: STATELAB_BENCH_PYTHON, or where INSTALL puts them. Huge pages make its steps shorter. */
function pythonEnvironment(): NodeJS.ProcessEnv {
  const folder = process.env.STATELAB_BENCH_PYTHON ?? benchFile("train-step/python");
  return { ...process.env, PYTHONPATH: resolve(folder), GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };
}

export function hasPyTorch(): boolean {
  try {
    const program = "import importlib.metadata as m; m.version('torch')"; // importing it takes seconds
    execFileSync("python3", ["-c", program], { env: pythonEnvironment(), stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export const pytorch: Contender = {
  name: "PyTorch",
  async prepare(problem) {
    if (!hasPyTorch()) return { skipped: `not installed: ${INSTALL}` };
    const script = benchFile("train-step/pytorch.py");
    return prepareChild("PyTorch", problem, "python3", (path) => [script, path], pythonEnvironment());
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
