/**
 * @file Append-only logs: JSON, one record a line.
 *
 *     {"step":1,"loss":2.07}\n{"step":2,"loss":1.98}\n{"step":3,"lo      <- the process was killed here
 *
 * A partial last line is cut when the log is opened for writing, and ignored by readers.
 */

import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { z } from "zod";
import { fail } from "../core/error.ts";
import { jsonText } from "../core/json.ts";
import { parseWith } from "../core/settings.ts";
import { writing } from "./folder.ts";
import type { Lock } from "./lock.ts";
import { longestText, readInput } from "./record.ts";

export interface Log {
  /** The partial line cut on opening; "" if the log was whole. */
  readonly cut: string;
  /** Appends one line; throws for a non-finite number. Survives the process immediately, a power failure after `sync`. */
  append(record: unknown): void;
  sync(): void;
  close(): void;
}

export interface OpenLogOptions {
  /** Drops the first matching record and everything after it: a resumed run writes these again. */
  readonly dropFrom?: (record: unknown) => boolean;
  /** Verifies ownership of this lock before each line. */
  readonly lock?: Lock | undefined;
}

/** Opens a log for appending, creating the file if necessary. One writer at a time (lock.ts). Disk errors are LabErrors. */
export function openLog(path: string, options: OpenLogOptions = {}): Log {
  return writing(path, () => open(path, options));
}

function open(path: string, { dropFrom, lock }: OpenLogOptions): Log {
  if (lock?.before !== undefined && existsSync(path)) replaceByCopy(path, lock);
  // "a" alone is not readable, "r+" does not create the file
  closeSync(openSync(path, "a"));
  const file = openSync(path, "r+");
  const { size } = fstatSync(file);
  if (size > longestText) {
    closeSync(file);
    fail(path, `at most ${longestText} bytes`, size, undefined, "corrupt");
  }
  const whole = endOfLastLine(file);
  const cut = readText(file, whole, fstatSync(file).size);
  let end = whole;
  if (dropFrom !== undefined) {
    end = 0;
    for (const line of readText(file, 0, whole).split("\n").slice(0, -1)) {
      if (dropFrom(parseLine(line, path))) break;
      end += Buffer.byteLength(line) + 1;
    }
  }
  ftruncateSync(file, end);
  return {
    cut,
    append(record) {
      const bytes = Buffer.from(`${jsonText(record, path)}\n`);
      lock?.check();
      writing(path, () => {
        for (let written = 0; written < bytes.length; ) {
          written += writeSync(file, bytes, written, bytes.length - written, end + written);
        }
      });
      end += bytes.length;
    },
    sync: () => writing(path, () => fsyncSync(file)),
    close: () => closeSync(file),
  };
}

/** Appends a line to a file shared by several processes, in one write call. Creates the file if necessary, not its folder. */
export function appendLine(path: string, record: unknown): void {
  const text = `${jsonText(record, path)}\n`;
  writing(path, () => appendFileSync(path, text, { flush: true }));
}

/** Replaces the log by a copy, so that a stale writer appends to an unlinked file. */
function replaceByCopy(path: string, lock: Lock): void {
  const temporary = join(dirname(path), `.${basename(path)}.${lock.attempt}.tmp`);
  try {
    copyFileSync(path, temporary);
    lock.check();
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Every complete record of a log, parsed by the schema if one is given. A partial last line is no error. */
export function readLog(path: string): unknown[];
export function readLog<T>(path: string, schema: z.ZodType<T>): T[];
export function readLog<T>(path: string, schema?: z.ZodType<T>): (T | unknown)[] {
  if (!existsSync(path)) fail(path, "an existing log", "no such file");
  const lines = readInput(path, { regular: true }).toString("utf8").split("\n").slice(0, -1); // whatever follows the last newline is partial or empty
  return lines.map((line, i) => {
    const at = `${path}, line ${i + 1}`;
    const record = parseLine(line, at);
    return schema === undefined ? record : parseWith(schema, record, at);
  });
}

function parseLine(line: string, at: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return fail(at, "a JSON record", line.slice(0, 80), "The log is damaged; remove that line", "corrupt");
  }
}

/** The offset after the last newline, 0 if there is none. Reads backwards: a log may be long. */
function endOfLastLine(file: number): number {
  const chunk = Buffer.alloc(65_536);
  for (let end = fstatSync(file).size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, end - start).lastIndexOf(10);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}

function readText(file: number, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from);
  for (let read = 0; read < bytes.length; ) {
    read += readSync(file, bytes, read, bytes.length - read, from + read);
  }
  return bytes.toString("utf8");
}
