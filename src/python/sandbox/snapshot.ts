/**
 * @file The memory of a loaded interpreter, kept in a file: starting from it takes a tenth of the time of loading.
 *
 *     pyodide-<key>.snapshot = sha256 of the rest (32 bytes) | memory
 *
 * The key names everything that went into it; a file whose checksum is wrong is made anew.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const checksumBytes = 32;
/** Each is about 30 MB; older ones belong to versions that are gone. */
const kept = 3;

/** Where the lab keeps what it can make again: STATELAB_CACHE, or the system's folder for that. */
export function cacheFolder(environment = process.env): string {
  const { STATELAB_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (STATELAB_CACHE) return STATELAB_CACHE;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? homedir(), "statelab");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "statelab");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "statelab");
}

/** The path of a good snapshot, made first if there is none. Rejects where the folder cannot be written. */
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
