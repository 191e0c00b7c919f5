/**
 * @file A consistent snapshot of a task's files while its process writes them.
 *
 *     scan      metrics.jsonl 812 bytes, checkpoints/400/...
 *     link      each file gets a hard link in our folder: its bytes stay, even if it is replaced or removed
 *     scan      if nothing but logs has grown, all of it existed at one moment. Otherwise repeat
 *
 * Files are either replaced atomically (storage/atomic.ts) or are append-only logs (storage/log.ts), cut to the length of the first
 * scan. So the snapshot is what a process that died at that moment would have left, from which it resumes. Event files of TensorBoard
 * grow, too; a training that resumes writes them again from its log, so they may be of another moment.
 */

import type { BigIntStats } from "node:fs";
import { copyFile, link, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface Snapshot {
  /** The folder of hard links; the caller removes it. */
  readonly folder: string;
  /** By path in the scanned folder: the link, and the number of bytes that count. */
  readonly files: ReadonlyMap<
    string,
    { readonly path: string; readonly size: number; readonly mark: string }
  >;
}

const mostLooks = 50;

/** The files at and below `roots`, relative to `home`; undefined if they kept changing. */
export async function takeSnapshot(
  home: string,
  roots: readonly string[],
  into: string,
): Promise<Snapshot | undefined> {
  for (let look = 0; look < mostLooks; look++) {
    const before = await filesAt(home, roots);
    const folder = join(into, String(look));
    if (before !== undefined && (await linked(home, before.keys(), folder))) {
      const after = await filesAt(home, roots);
      if (after !== undefined && isOneMoment(before, after)) return { folder, files: taken(before, folder) };
    }
    await rm(folder, { recursive: true, force: true });
    await pause(2 * look);
  }
  return undefined;
}

/** A fingerprint of the state: equal marks mean equal files. */
export const snapshotMarks = ({ files }: Snapshot): string =>
  [...files].map(([path, { mark }]) => `${path} ${mark}`).join("\n");

const isEventFile = (path: string) => basename(path).startsWith("events.out.tfevents.");
const isLog = (path: string) => path.endsWith(".jsonl") || isEventFile(path);

/** Locks and partial files are not part of the task. */
const isLeftOut = (path: string, top: boolean) =>
  /^\..*\.tmp$/.test(basename(path)) || (top && /^([\w-]+\.)?lock(\.|$)/.test(basename(path)));

/** undefined if something disappeared between listing a folder and reading its files. */
async function filesAt(
  home: string,
  roots: readonly string[],
): Promise<Map<string, BigIntStats> | undefined> {
  const found = new Map<string, BigIntStats>();
  const visit = async (path: string, depth: number): Promise<boolean> => {
    if (depth > 0 && isLeftOut(path, depth === 1)) return true;
    const stats = await unlessGone(lstat(join(home, path), { bigint: true }));
    if (stats === undefined) return depth === 0; // a root may not exist yet
    if (stats.isFile()) found.set(path, stats);
    if (!stats.isDirectory()) return true;
    const names = await unlessGone(readdir(join(home, path)));
    for (const name of names?.sort() ?? []) if (!(await visit(`${path}/${name}`, depth + 1))) return false;
    return names !== undefined;
  };
  for (const root of roots) if (!(await visit(root, 0))) return undefined;
  return found;
}

async function linked(home: string, paths: Iterable<string>, folder: string): Promise<boolean> {
  const made = new Set<string>();
  for (const path of paths) {
    const to = join(folder, path);
    if (!made.has(dirname(to))) await mkdir(dirname(to), { recursive: true });
    made.add(dirname(to));
    const from = join(home, path);
    const there = await unlessGone(
      link(from, to)
        .catch((error: NodeJS.ErrnoException) =>
          error.code === "ENOENT" ? Promise.reject(error) : copyFile(from, to),
        )
        .then(() => true),
    );
    if (there === undefined) return false;
  }
  return true;
}

function isOneMoment(
  before: ReadonlyMap<string, BigIntStats>,
  after: ReadonlyMap<string, BigIntStats>,
): boolean {
  if (before.size !== after.size) return false;
  let grown = 0;
  for (const [path, was] of before) {
    const is = after.get(path);
    if (is === undefined || is.ino !== was.ino || is.size < was.size) return false;
    if (is.size === was.size && is.mtimeNs === was.mtimeNs) continue;
    if (!isLog(path)) return false;
    if (!isEventFile(path)) grown++;
  }
  return grown <= 1;
}

const taken = (files: ReadonlyMap<string, BigIntStats>, folder: string): Snapshot["files"] =>
  new Map(
    [...files].map(([path, { ino, size, mtimeNs }]) => [
      path,
      { path: join(folder, path), size: Number(size), mark: `${ino} ${size} ${isLog(path) ? "" : mtimeNs}` },
    ]),
  );

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // fs errors carry a code
    throw error;
  }
}
