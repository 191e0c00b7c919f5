/**
 * @file A folder that comes from elsewhere: nothing in it may lead out of it, and nothing in it may wait.
 *
 *     RUN -> /disk/run             a link that the user made to the folder itself: followed
 *     RUN/last -> checkpoints/40   a link within: followed
 *     RUN/checkpoints -> /home     refused: what is written, removed or shown there is not of the run
 *     RUN/metrics.jsonl, a FIFO    refused: a reader would wait for ever
 *
 * Whatever opens a folder calls `checkFolder` before it looks at anything in it.
 */

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { fail } from "../core/error.ts";
import { makeFolder } from "./folder.ts";
import { type Lock, takeLock } from "./lock.ts";
import { nameOf } from "./record.ts";

/**
 * Looks at every entry of `folder` and of the folders in it; one that does not exist yet is empty.
 * @throws LabError (corrupt) naming the first link out of it, or the first entry that is no file and no folder.
 */
export function checkFolder(folder: string): void {
  const root = orNothing(() => realpathSync(folder));
  if (root !== undefined) checkEntries(folder, root);
}

function checkEntries(folder: string, root: string): void {
  const entries = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) checkEntries(path, root);
    else if (entry.isSymbolicLink()) checkLink(path, root);
    else if (!entry.isFile()) fail(path, "a regular file", nameOf(entry), "Remove it", "corrupt");
  }
}

function checkLink(path: string, root: string): void {
  const target = orNothing(() => realpathSync(path));
  if (target !== undefined && `${target}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    return;
  if (orNothing(() => lstatSync(path)) === undefined) return; // its owner has removed it meanwhile
  const got = target === undefined ? "a link to nothing" : `a link to ${target}`;
  fail(path, "no link out of its folder", got, "Remove it, or put a copy in its place", "corrupt");
}

/** undefined for what is not there, or may not be seen: whoever reads it says so. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(code ?? "")) return undefined;
    throw error;
  }
}

/** Makes the folder unless it is there, looks through it and takes its lock. Errors: LabErrors as `checkFolder` and `takeLock`. */
export async function lockFolder(folder: string, name: string, command?: string): Promise<Lock> {
  await makeFolder(folder);
  checkFolder(folder);
  return takeLock(join(folder, name), command);
}
