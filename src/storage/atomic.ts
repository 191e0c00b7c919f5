/**
 * @file Atomic file replacement: write a temporary file, flush it, rename it.
 *
 *     write NAME.<random>.tmp, fsync, rename to NAME, fsync the folder
 *
 * A reader sees the old file or the new one. A killed process leaves at most a `.tmp` file.
 */

import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeFolder, writing } from "./folder.ts";
import type { Lock } from "./lock.ts";

/**
 * Durably replaces the file at `path`, creating its folder if necessary. Disk errors are LabErrors. With a lock, throws Superseded if
 * the lock has another owner by now.
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
    await rm(temporary, { force: true }).catch(() => {}); // report the first error
    lock?.check(); // unless the cause is a lost lock
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

/** Makes renames and removals in a folder durable (fsync). Windows has no such operation and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Rename that replaces the target. On Windows a reader (or a virus scanner) can keep the target open for a moment. */
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
