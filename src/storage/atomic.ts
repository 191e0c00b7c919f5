/**
 * @file A file is there whole or not at all: written beside its place, flushed to the disk, renamed into it.
 *
 *     write NAME.<random>.tmp, fsync, rename to NAME, fsync the folder
 *
 * A reader sees the old file or the new one. A process killed between leaves at most a `.tmp` file.
 */

import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeFolder, writing } from "./folder.ts";
import type { Lock } from "./lock.ts";

/**
 * Replaces the file at `path` (made with its folder if need be) by these bytes, durably. A refusal of the disk is a LabError.
 * What only the owner of a lock may write is written by it: Superseded where it is another's now.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, lock?: Lock): Promise<void> {
  return writing(path, () => replaceFile(path, content, lock));
}

async function replaceFile(
  path: string,
  content: string | Uint8Array,
  lock: Lock | undefined,
): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const attempt = lock?.attempt ?? randomBytes(6).toString("hex");
  const temporary = join(folder, `.${basename(path)}.${attempt}.tmp`);
  try {
    await writeFileDurably(temporary, content);
    lock?.check(); // after the temporary file is made: lock.ts says why
    await renameOver(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // the first error is the one to tell
    lock?.check(); // unless it comes from being superseded
    throw error;
  }
  await syncFolder(folder);
}

/** Writes a new file and flushes it to the disk. The file must not exist. */
export async function writeFileDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes renames and removals in a folder durable. Windows has no such operation and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames, replacing what is there. On Windows a reader (or a virus scanner) can hold the target for a moment. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code; // fs errors carry a code
      const held = code === "EPERM" || code === "EACCES" || code === "EBUSY";
      if (process.platform !== "win32" || !held || attempt === 10) throw error;
      await pause(10 * attempt);
    }
  }
}
