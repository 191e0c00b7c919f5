/**
 * @file On-disk queue of training batches (src/schemas/async-data.ts): atomic immutable blocks, claims on blocks in production, and the
 * training's progress.
 *
 *     maker      takes making/13.lock   writes .13.ATTEMPT.tmp   links it to blocks/13.safetensors   gives the lock back
 *     training   reads blocks/13.safetensors                     writes progress.json: taken 13
 *
 * `link` fails if the block exists: of two producers of the same block the first wins. The claim of a killed producer is taken over by
 * the next (lock.ts). Nothing is flushed: a block spoiled by a power failure fails its checksum and is produced again, and the training
 * republishes its progress from its checkpoint.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { fail, LabError } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { BlockHeader, StreamProgress, WeightsHeader } from "../schemas/async-data.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "../schemas/formats/safetensors.ts";
import { renameOver } from "./atomic.ts";
import { makeFolder, writing } from "./folder.ts";
import { isHeld, type Lock, linkNew, takeLock } from "./lock.ts";
import { parseJson } from "./record.ts";
import { runFiles } from "./run-files.ts";

export type Tensors = Readonly<Record<string, StoredTensor>>;

export interface StoredBlock {
  readonly header: BlockHeader;
  readonly tensors: Tensors;
}

export interface Stream {
  readonly folder: string;
  /** undefined before the training has begun. */
  progress(): StreamProgress | undefined;
  keepProgress(progress: Omit<StreamProgress, "version">, lock?: Lock): Promise<void>;
  weights(): Promise<{ readonly step: number; readonly tensors: Tensors }>;
  keepWeights(step: number, tensors: Tensors, lock?: Lock): Promise<void>;
  has(block: number): boolean;
  /** undefined if it does not exist. Errors: LabError (corrupt) if it was changed. */
  block(block: number): Promise<StoredBlock | undefined>;
  /** Claims a block; undefined if another producer has it. */
  claim(block: number): Promise<Lock | undefined>;
  /** False if another producer has published it first. */
  publish(header: Omit<BlockHeader, "version">, tensors: Tensors, claim: Lock): Promise<boolean>;
  remove(block: number): Promise<void>;
  /** Removes the blocks up to and including this one. */
  forget(upTo: number): Promise<void>;
}

const [BLOCKS, MAKING] = ["blocks", "making"];
const KEY = "statelab";

export async function openStream(run: string): Promise<Stream> {
  const folder = join(run, runFiles.stream);
  const [blocks, making] = [join(folder, BLOCKS), join(folder, MAKING)];
  for (const each of [blocks, making]) await makeFolder(each);
  const pathOf = (block: number) => join(blocks, `${block}.safetensors`);
  const weightsPath = join(folder, "weights.safetensors");
  const progressPath = join(folder, "progress.json");

  /** Atomic replacement; not flushed. */
  const replace = (path: string, content: string | Uint8Array, lock: Lock | undefined) =>
    writing(path, async () => {
      const temporary = `${path}.${lock?.attempt ?? process.pid}.tmp`;
      await writeFile(temporary, content);
      lock?.check();
      await renameOver(temporary, path);
    });

  return {
    folder,
    progress() {
      if (!existsSync(progressPath)) return undefined;
      return parseWith(
        StreamProgress,
        parseJson(readFileSync(progressPath, "utf8"), progressPath),
        progressPath,
      );
    },
    keepProgress: (progress, lock) =>
      replace(progressPath, `${JSON.stringify({ version: 1, ...progress })}\n`, lock),
    async weights() {
      const { header, tensors } = checked(await readFile(weightsPath), weightsPath, WeightsHeader);
      return { step: header.step, tensors };
    },
    keepWeights: (step, tensors, lock) => replace(weightsPath, encoded({ version: 1, step }, tensors), lock),
    has: (block) => existsSync(pathOf(block)),
    async block(block) {
      const path = pathOf(block);
      const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (bytes === undefined) return undefined;
      const found = checked(bytes, path, BlockHeader);
      if (found.header.block !== block)
        fail(path, `block ${block}`, found.header.block, "The file was renamed", "corrupt");
      return found;
    },
    async claim(block) {
      const path = join(making, `${block}.lock`);
      if (isHeld(path)) return undefined;
      let lock: Lock;
      try {
        lock = takeLock(path);
      } catch (error) {
        if (error instanceof LabError && error.kind === "locked") return undefined;
        throw error;
      }
      // Temporary files of killed writers.
      for (const name of await readdir(blocks))
        if (name.startsWith(`.${block}.`)) await rm(join(blocks, name), { force: true });
      return lock;
    },
    publish(header, tensors, claim) {
      const path = pathOf(header.block);
      return writing(path, async () => {
        const temporary = join(blocks, `.${header.block}.${claim.attempt}.tmp`);
        try {
          await writeFile(temporary, encoded({ version: 1, ...header }, tensors), { flag: "wx" });
          claim.check();
          return linkNew(temporary, path);
        } finally {
          await rm(temporary, { force: true });
        }
      });
    },
    remove: (block) => rm(pathOf(block), { force: true }),
    async forget(upTo) {
      for (const name of await readdir(blocks)) {
        const block = /^(\d+)\.safetensors$/.exec(name)?.[1];
        if (block !== undefined && Number(block) <= upTo) await rm(join(blocks, name), { force: true });
      }
    },
  };
}

function encoded(header: object, tensors: Tensors): Uint8Array {
  const text = JSON.stringify(header);
  return encodeSafetensors(tensors, { [KEY]: text, sha256: hashOf(text, tensors) });
}

/** Errors: LabError (corrupt) if the header is invalid or the contents do not match the checksum. */
function checked<Header>(
  bytes: Uint8Array,
  path: string,
  schema: z.ZodType<Header>,
): { readonly header: Header; readonly tensors: Tensors } {
  const { tensors, metadata } = decodeSafetensors(bytes, path);
  const text = metadata[KEY] ?? fail(path, `${KEY} in its metadata`, "none", undefined, "corrupt");
  const got = hashOf(text, tensors);
  if (got !== metadata.sha256)
    fail(path, `the checksum ${metadata.sha256}`, got, "It was changed", "corrupt");
  return { header: parseWith(schema, parseJson(text, path), path), tensors };
}

/** SHA-256 of the header, and of   name \0 bytes ...   in alphabetical order. */
function hashOf(header: string, tensors: Tensors): string {
  const hash = createHash("sha256").update(header);
  for (const name of Object.keys(tensors).toSorted()) {
    const { buffer, byteOffset, byteLength } = tensors[name].data;
    hash.update(`${name}\0`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest("hex");
}
