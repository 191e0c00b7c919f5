/** @file jax-js as a contender: `jax-js.mjs` in a separate process, on its WebAssembly backend. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Contender } from "./baseline.ts";
import { prepareChild } from "./child.ts";
import { benchFile } from "./files.ts";

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
