/**
 * @file Untrusted folders: no link may lead outside, and no special file may block a reader.
 *
 *     RUN -> /disk/run             a link that the user made to the folder itself: followed
 *     RUN/last -> checkpoints/40   a link within: followed
 *     RUN/checkpoints -> /home     refused: files there are not part of the run
 *     RUN/metrics.jsonl, a FIFO    refused: a reader would block forever
 *
 * Call `checkFolder` before reading anything in a folder.
 */

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { fail } from "../core/error.ts";
import { makeFolder } from "./folder.ts";
import { type Lock, takeLock } from "./lock.ts";
import { fileKind } from "./record.ts";

/**
 * Checks every entry of `folder`, recursively; a missing folder counts as empty.
 * @throws LabError (corrupt) naming the first link that leads outside, or the first entry that is neither file nor folder.
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
    else if (!entry.isFile()) fail(path, "a regular file", fileKind(entry), "Remove it", "corrupt");
  }
}

function checkLink(path: string, root: string): void {
  const target = orNothing(() => realpathSync(path));
  if (target !== undefined && `${target}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    return;
  if (orNothing(() => lstatSync(path)) === undefined) return; // removed by its owner in the meantime
  const got = target === undefined ? "a link to nothing" : `a link to ${target}`;
  fail(path, "no link out of its folder", got, "Remove it, or put a copy in its place", "corrupt");
}

/** undefined for what is missing or unreadable: the reader reports it. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(code ?? "")) return undefined;
    throw error;
  }
}

/** Creates the folder unless it exists, checks it and takes its lock. Errors: LabErrors as `checkFolder` and `takeLock`. */
export async function lockFolder(folder: string, name: string, command?: string): Promise<Lock> {
  await makeFolder(folder);
  checkFolder(folder);
  return takeLock(join(folder, name), command);
}
