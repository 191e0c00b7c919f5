/**
 * @file Uploads and downloads of files in parts, each verified by its name.
 *
 *     upload(snapshot)       skips parts that the store has; the manifest names all parts
 *     restore(listing)       each file is written to a temporary name, flushed, and renamed; identical files stay
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fail } from "../../../src/core/error.ts";
import { sha256, syncFolder } from "../../../src/storage/index.ts";
import { type FileEntry, getPart, type Listing, partBytes } from "./manifest.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ObjectStore } from "./store.ts";

interface Uploading {
  readonly store: ObjectStore;
  /** The submission's name. */
  readonly name: string;
  /** Prefix of new parts: 17.2, or all. */
  readonly under: string;
  /** Known parts by digest, which may be referenced. New parts are added. */
  readonly known: Map<string, string>;
}

/** Concurrent transfers: each keeps a whole part in memory. */
const atOnce = 4;

/** undefined if a file has shrunk since the snapshot. */
export async function upload(snapshot: Snapshot, uploading: Uploading): Promise<Listing | undefined> {
  const entries = await serialize([...snapshot.files], async ([path, { path: from, size }]) => {
    const file = await open(from, "r");
    try {
      const parts: string[] = [];
      for (let offset = 0; offset < size; offset += partBytes) {
        const bytes = await readPart(file, offset, Math.min(partBytes, size - offset));
        if (bytes === undefined) return undefined;
        parts.push(await putPart(bytes, uploading));
      }
      return [path, { size, parts }] as const;
    } finally {
      await file.close();
    }
  });
  const whole = entries.filter((entry) => entry !== undefined);
  return whole.length < entries.length ? undefined : { version: 1, files: Object.fromEntries(whole) };
}

async function putPart(bytes: Buffer, { store, name, under, known }: Uploading): Promise<string> {
  const digest = sha256(bytes);
  const there = known.get(digest);
  if (there !== undefined) return there;
  const part = `${under}/${digest}`;
  await store.put(`${name}/${part}`, bytes);
  known.set(digest, part);
  return part;
}

export const digestIn = (part: string) => part.slice(part.indexOf("/") + 1);

/** Creates in `home` the files of a manifest that `wanted` selects. @throws Gone, or a LabError of kind "corrupt". */
export async function restore(
  store: ObjectStore,
  name: string,
  { files }: Listing,
  home: string,
  wanted: (path: string) => boolean = () => true,
): Promise<void> {
  const folders = new Set<string>();
  await serialize(
    Object.entries(files).filter(([path]) => wanted(path)),
    async ([path, entry]) => {
      const to = join(home, path);
      if (await hasBytes(to, entry)) return;
      folders.add(dirname(to));
      await mkdir(dirname(to), { recursive: true });
      const temporary = join(dirname(to), `.${basename(to)}.${randomBytes(6).toString("hex")}.tmp`);
      try {
        const file = await open(temporary, "wx");
        try {
          for (const part of entry.parts) await file.writeFile(await fetched(store, name, part));
          const { size } = await file.stat();
          if (size !== entry.size)
            fail(`${store.address}/${name}: ${path}`, `${entry.size} bytes`, size, undefined, "corrupt");
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, to);
      } finally {
        await rm(temporary, { force: true });
      }
    },
  );
  for (const folder of folders) await syncFolder(folder);
}

/** A listed part no longer exists: the manifest has been replaced by a later one, or the store has lost it. */
export class NotFoundError extends Error {}

async function fetched(store: ObjectStore, name: string, part: string): Promise<Buffer> {
  const bytes = await getPart(store, name, part);
  if (bytes === undefined) throw new NotFoundError(`${store.address}/${name}/${part} is not there`);
  return bytes;
}

async function hasBytes(path: string, { size, parts }: FileEntry): Promise<boolean> {
  if (!existsSync(path)) return false;
  const file = await open(path, "r");
  try {
    if ((await file.stat()).size !== size) return false;
    for (const [i, part] of parts.entries()) {
      const bytes = await readPart(file, i * partBytes, Math.min(partBytes, size - i * partBytes));
      if (bytes === undefined || sha256(bytes) !== digestIn(part)) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** undefined if the file is shorter. */
async function readPart(file: FileHandle, offset: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(bytes, read, length - read, offset + read);
    if (bytesRead === 0) return undefined;
    read += bytesRead;
  }
  return bytes;
}

/** A concurrent map with results in order; the first error ends it, after the started calls have settled. */
export async function serialize<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const failures: unknown[] = [];
  const line = async () => {
    while (next < items.length && failures.length === 0) {
      const i = next++;
      try {
        results[i] = await work(items[i]);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  if (failures.length > 0) throw failures[0];
  return results;
}
