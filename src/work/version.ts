/** @file The version of this package, read from its package.json, wherever this file was built to. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds the package.json of statelab: above src/ in the sources, above dist/ when built. */
export function packageFolder(): string {
  for (
    let folder = dirname(fileURLToPath(import.meta.url));
    folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    if (manifestIn(folder)?.name === "statelab") return folder;
  }
  throw new Error(`no package.json of statelab above ${import.meta.url}`);
}

/** Such as "0.1.0". */
export function labVersion(): string {
  return manifestIn(packageFolder())?.version ?? "unknown";
}

function manifestIn(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // fs errors carry a code
    throw error;
  }
}
