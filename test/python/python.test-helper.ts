/** @file Python with the packages of requirements.txt; STATELAB_INTEROP_PYTHON replaces test/python/packages. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const env = { ...process.env, PYTHONPATH: process.env.STATELAB_INTEROP_PYTHON ?? here("packages") };
export const python = (program: readonly string[], input = "") =>
  spawnSync("python3", program, { env, input, encoding: "utf8", maxBuffer: 1 << 28 });

/** Warns if a package is missing. */
export function isInstalled(...packages: readonly string[]): boolean {
  const asks = packages.map((each) => `m.version('${each}')`).join(", ");
  const installed = python(["-c", `import importlib.metadata as m; ${asks}`]).status === 0;
  if (!installed)
    console.warn(
      "Skipped: python3 -m pip install --target test/python/packages -r test/python/requirements.txt",
    );
  return installed;
}
