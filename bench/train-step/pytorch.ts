/** @file PyTorch on the CPU as a contender: `pytorch.py` in a separate process, under the system's Python. */

import { execFileSync } from "node:child_process";
import type { Contender } from "./baseline.ts";
import { prepareChild } from "./child.ts";
import { benchFile } from "./files.ts";

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
