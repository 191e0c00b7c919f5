/** @file The version of this package, read from its package.json, wherever this file was built to, and its commit in a checkout. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
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

/** The commit of a checkout of the lab; undefined where it is installed as a package. What is not committed is not seen. */
export function labCommit(): string | undefined {
  const read = (...path: string[]) => {
    try {
      return readFileSync(join(...path), "utf8").trim();
    } catch {
      return undefined; // not there: no checkout, or a reference that is packed
    }
  };
  const root = packageFolder();
  // In a worktree .git is a file that says where its own folder is, and that one where the common one is.
  const own = /^gitdir: (.*)$/.exec(read(root, ".git") ?? "")?.[1] ?? join(root, ".git");
  const folder = resolve(root, own);
  const head = read(folder, "HEAD");
  const reference = /^ref: (.*)$/.exec(head ?? "")?.[1];
  if (reference === undefined) return head;
  const common = resolve(folder, read(folder, "commondir") ?? ".");
  const packed = read(common, "packed-refs")?.split("\n");
  return read(common, reference) ?? packed?.find((line) => line.endsWith(` ${reference}`))?.split(" ")[0];
}
