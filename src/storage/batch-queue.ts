/**
 * @file The files of a stream of examples (src/schemas/async-data.ts says which): blocks that are there whole or not at all and never
 * change, claims on blocks that are being made, and how far the training is.
 *
 *     maker      takes making/13.lock   writes .13.ATTEMPT.tmp   links it to blocks/13.safetensors   gives the lock back
 *     training   reads blocks/13.safetensors                     writes progress.json: taken 13
 *
 * A link fails where there is a block already: of two that make the same, by whatever mistake, the first is the one that is read. A maker
 * that is killed leaves a claim that the next one takes over (lock.ts). Nothing is flushed: what a power failure spoils does not have its
 * checksum and is made again, and the training says anew from its checkpoint how far it is.
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
  /** undefined where it is not there. Errors: LabError (corrupt) for one that was changed. */
  block(block: number): Promise<StoredBlock | undefined>;
  /** The right to make a block; undefined where somebody else makes it. */
  claim(block: number): Promise<Lock | undefined>;
  /** False where another one has made it meanwhile. */
  publish(header: Omit<BlockHeader, "version">, tensors: Tensors, claim: Lock): Promise<boolean>;
  remove(block: number): Promise<void>;
  /** Removes the blocks up to this one. */
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

  /** In the place of what is there, in one step; not flushed. */
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
      // Of who was killed while writing it.
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

/** Errors: LabError (corrupt) where the header is not one of these, or anything is not as it was written. */
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

/** SHA-256 of the header, and of   name \0 bytes ...   in the order of the alphabet. */
function hashOf(header: string, tensors: Tensors): string {
  const hash = createHash("sha256").update(header);
  for (const name of Object.keys(tensors).toSorted()) {
    const { buffer, byteOffset, byteLength } = tensors[name].data;
    hash.update(`${name}\0`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest("hex");
}
