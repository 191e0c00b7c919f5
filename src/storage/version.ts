/** @file The version of this package from its package.json, and the commit of a checkout. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of statelab's package.json: above src/ in the sources, above dist/ in a build. */
function packageFolder(): string {
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

/** The commit of a checkout; undefined for an installed package. Ignores uncommitted changes. */
export function labCommit(): string | undefined {
  const read = (...path: string[]) => {
    try {
      return readFileSync(join(...path), "utf8").trim();
    } catch {
      return undefined; // no checkout, or a packed reference
    }
  };
  const root = packageFolder();
  // In a worktree .git is a file with the path of the real one, which names the common one.
  const own = /^gitdir: (.*)$/.exec(read(root, ".git") ?? "")?.[1] ?? join(root, ".git");
  const folder = resolve(root, own);
  const head = read(folder, "HEAD");
  const reference = /^ref: (.*)$/.exec(head ?? "")?.[1];
  if (reference === undefined) return head;
  const common = resolve(folder, read(folder, "commondir") ?? ".");
  const packed = read(common, "packed-refs")?.split("\n");
  return read(common, reference) ?? packed?.find((line) => line.endsWith(` ${reference}`))?.split(" ")[0];
}
