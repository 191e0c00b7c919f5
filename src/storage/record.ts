/** @file Bounded reads of files that a user names, and parsing of records at the boundary. */

import { createHash } from "node:crypto";
import { closeSync, constants, type Dirent, fstatSync, openSync, readSync } from "node:fs";
import type { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";

/** The longest string of JavaScript. */
export const longestText = 2 ** 29 - 24;
const chunkBytes = 2 ** 20;
const standardInput = 0;

interface InputOptions {
  /** Larger files are an error and are never read: neither a terabyte file nor an endless pipe. */
  readonly largestBytes?: number;
  /** The file's name in messages. */
  readonly at?: string;
  /** Whether to refuse a FIFO or a device: allowed only for names that the user gives. */
  readonly regular?: boolean;
}

/** The bytes of a file, or of standard input. @throws LabError if it is missing, or too long (corrupt). */
export function readInput(path: string | typeof standardInput, options: InputOptions = {}): Buffer {
  const { largestBytes = longestText, at = path === standardInput ? "stdin" : path, regular } = options;
  let handle: number | undefined;
  try {
    handle = path === standardInput ? path : regular === true ? openRegular(path) : openSync(path, "r");
    const found = fstatSync(handle);
    if (found.isDirectory()) fail(at, "a file", "a folder");
    if (found.isFile() && found.size > largestBytes)
      fail(at, `at most ${largestBytes} bytes`, found.size, undefined, "corrupt");
    return (
      readAll(handle, largestBytes) ?? fail(at, `at most ${largestBytes} bytes`, "more", undefined, "corrupt")
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // fs errors carry a code; ours do not
    if (code === "ENOENT" || code === "ENOTDIR") fail(at, "an existing file", "none");
    if (code === "EACCES") fail(at, "a file that may be read", "one that may not");
    throw error;
  } finally {
    if (handle !== undefined && path !== standardInput) closeSync(handle);
  }
}

/** Opens a file for reading without blocking on a FIFO. @throws LabError (corrupt) if it is not a regular file. */
export function openRegular(path: string): number {
  // O_NONBLOCK: opening a FIFO would block. Windows has neither.
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = fstatSync(handle);
  if (found.isFile()) return handle;
  closeSync(handle);
  return fail(path, "a regular file", fileKind(found), undefined, "corrupt");
}

function readAll(handle: number, largestBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= largestBytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, largestBytes + 1 - length));
    const read = readUp(handle, chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return undefined;
}

function readUp(handle: number, chunk: Buffer): number {
  try {
    return readSync(handle, chunk, 0, chunk.length, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0; // a closed stdin, on Windows
    throw error;
  }
}

/** @throws LabError naming the file and the schema violation; `hint` says what to do about a damaged one. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>, hint: string): Promise<T> {
  const text = readInput(path).toString("utf8");
  return parseWith(schema, parseJson(text, path, hint), path);
}

/** @throws LabError (corrupt) that quotes the beginning of the text. */
export function parseJson(text: string, at: string, hint?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail(at, "JSON", text.slice(0, 60), hint, "corrupt");
  }
}

/** The kind of a non-regular file, from a `Dirent` or a stat. */
export function fileKind(entry: Pick<Dirent, "isFIFO" | "isSocket" | "isDirectory">): string {
  if (entry.isDirectory()) return "a folder";
  return entry.isFIFO() ? "a FIFO" : entry.isSocket() ? "a socket" : "a device";
}

export const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
