/**
 * @file Caches the memory of a loaded interpreter in a file: starting from it takes a tenth of the time of loading.
 *
 *     pyodide-<key>.snapshot = sha256 of the rest (32 bytes) | memory
 *
 * The key covers all inputs; a file with a wrong checksum is rebuilt.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const checksumBytes = 32;
/** Each is about 30 MB; older ones belong to versions that are gone. */
const kept = 3;

/** The cache folder: STATELAB_CACHE, or the system's cache folder. */
export function cacheFolder(environment = process.env): string {
  const { STATELAB_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (STATELAB_CACHE) return STATELAB_CACHE;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? homedir(), "statelab");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "statelab");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "statelab");
}

/** The path of a valid snapshot, created if necessary. Rejects if the folder is not writable. */
export async function snapshotFile(
  folder: string,
  key: string,
  make: () => Promise<Buffer>,
): Promise<string> {
  const path = join(folder, `pyodide-${key}.snapshot`);
  if (isGood(path)) return path;
  mkdirSync(folder, { recursive: true });
  const memory = await make();
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, Buffer.concat([checksum(memory), memory]), { flag: "wx" });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  prune(folder);
  return path;
}

function isGood(path: string): boolean {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return false;
  }
  return checksum(bytes.subarray(checksumBytes)).equals(bytes.subarray(0, checksumBytes));
}

function checksum(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function prune(folder: string): void {
  const snapshots = readdirSync(folder)
    .filter((name) => /^pyodide-.*\.snapshot$/.test(name))
    .map((name) => ({
      path: join(folder, name),
      age: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.age - a.age);
  for (const { path } of snapshots.slice(kept)) rmSync(path, { force: true });
}
