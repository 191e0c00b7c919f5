/** @file Makes a folder and those above it. */

import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fail } from "../core/error.ts";

/**
 * Makes `path` unless it is there. Not `mkdir(path, { recursive: true })`, which in Node 20 never returns where a folder
 * exists in which none can be made (/proc, or a current folder that was deleted).
 * @throws LabError where it cannot be made, or a file stands in its place.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) await makeFolder(parent);
  if (!(await made(path))) fail(path, "a place where folders can be made", parent);
}

/** false where the folder above is missing, or a file. */
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
