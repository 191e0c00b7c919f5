/** @file Creating folders, and disk errors as sentences. */

import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, LabError } from "../core/error.ts";

/**
 * Creates `path` unless it exists. Not `mkdir(path, { recursive: true })`, which in Node 20 never returns if an existing parent refuses
 * new folders (/proc, or a deleted current folder).
 * @throws LabError if it cannot be created, or a file has its name.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) await makeFolder(parent);
  if (!(await made(path))) fail(path, "a place where folders can be made", parent);
}

/** false if the parent is missing, or a file. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (code !== "EEXIST") throw error;
  }
  if (!(await stat(path)).isDirectory()) fail(path, "a folder", "a file");
  return true;
}

/*
 * Disk errors in one sentence: full, read-only, not permitted or broken.
 *
 *     runs/deltanet/metrics.jsonl: expected room on the disk, got none left. Earlier saves are intact
 */

const expectations: Readonly<Record<string, readonly [expected: string, got: string]>> = {
  ENOSPC: ["room on the disk", "none left"],
  EDQUOT: ["room on the disk", "no quota left"],
  EROFS: ["a place that can be written", "a read-only file system"],
  EACCES: ["a place that can be written", "no permission"],
  EPERM: ["a place that can be written", "no permission"],
  EIO: ["a disk that works", "an input/output error"],
  EFBIG: ["a file that the system lets grow", "one at its limit"],
  ESTALE: ["a place that can be written", "a network file that is gone"],
};

/** The error as a LabError of kind "unwritable" that names the path, if it is a disk error; otherwise the error itself. */
export function describeWriteError(path: string, error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException; // fs errors carry a code
  const known = expectations[code ?? ""];
  if (known === undefined) return error;
  const [expected, got] = known;
  return new LabError(`${path}: expected ${expected}, got ${got}. Earlier saves are intact`, "unwritable");
}

/** Runs work that writes at `path`, synchronous or not, and translates disk errors. */
export function writing<T>(path: string, work: () => T): T {
  try {
    const result = work();
    // If the result is a promise, so is T.
    return result instanceof Promise
      ? (result.catch((error: unknown) => Promise.reject(describeWriteError(path, error))) as T)
      : result;
  } catch (error) {
    throw describeWriteError(path, error);
  }
}
