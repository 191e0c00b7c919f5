/** @file Python with the packages of requirements.txt; STATELAB_INTEROP_PYTHON replaces test/python/packages. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const pythonPath = process.env.STATELAB_INTEROP_PYTHON ?? here("packages");
const own = { ...process.env, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: "1" };
export const python = (program: readonly string[], input = "", env: Readonly<Record<string, string>> = {}) =>
  spawnSync("python3", program, { env: { ...own, ...env }, input, encoding: "utf8", maxBuffer: 1 << 28 });

/** Warns if a package is missing. */
export function isInstalled(...packages: readonly string[]): boolean {
  const asks = packages.map((each) => `m.version('${each}')`).join(", ");
  const installed = python(["-c", `import importlib.metadata as m; ${asks}`]).status === 0;
  if (!installed)
    console.warn(
      `Skipped without ${packages.join(", ")}: python3 -m pip install --target test/python/packages -r test/python/requirements.txt`,
    );
  return installed;
}
