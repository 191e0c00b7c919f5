/**
 * @file Hash-chained logs: each line includes the hash of the line before, so that a change is detected and located.
 *
 *     {"previous":"0000...","kind":"begin",...}\n
 *     {"previous":"9c1f...","kind":"turn",...}\n          9c1f... is the SHA-256 of the line above
 *
 * The hash of the last line, stored elsewhere, seals the whole. It detects damage and mistakes, not a forger who rewrites the chain.
 */

import { existsSync } from "node:fs";
import { fail } from "../core/error.ts";
import { jsonText } from "../core/json.ts";
import { openLog } from "./log.ts";
import { readInput, sha256 } from "./record.ts";

export const noLine = "0".repeat(64);

export interface Seal {
  readonly lines: number;
  /** SHA-256 of the last line; `noLine` if there is none. */
  readonly hash: string;
}

export interface Ledger {
  /** The records found on opening, without the hashes. */
  readonly kept: readonly unknown[];
  append(record: object): void;
  seal(): Seal;
  sync(): void;
  close(): void;
}

/**
 * Opens a ledger for appending. Records after the last one accepted by `isWhole` are dropped, since they will be written again.
 * @throws LabError (corrupt) naming the line that was changed.
 */
export function openLedger(path: string, isWhole: (record: unknown) => boolean): Ledger {
  const { records, hashes } = existsSync(path) ? readLedger(path) : { records: [], hashes: [] };
  const whole = records.findLastIndex(isWhole) + 1;
  let line = 0;
  const log = openLog(path, { dropFrom: () => line++ >= whole });
  let seal: Seal = { lines: whole, hash: hashes[whole - 1] ?? noLine };
  return {
    kept: records.slice(0, whole),
    append(record) {
      const linked = { previous: seal.hash, ...record };
      log.append(linked);
      seal = { lines: seal.lines + 1, hash: sha256(jsonText(linked, path)) };
    },
    seal: () => seal,
    sync: () => log.sync(),
    close: () => log.close(),
  };
}

/**
 * The complete lines of a ledger, each verified by the hash in the next line, the last one by `seal`, if given.
 * @throws LabError (corrupt) naming the changed or missing line.
 */
export function readLedger(
  path: string,
  seal?: Seal,
): { readonly records: unknown[]; readonly hashes: readonly string[] } {
  if (!existsSync(path)) fail(path, "an existing event log", "no such file");
  return parseLedger(readInput(path, { regular: true }), path, seal);
}

/** The same for its bytes. */
export function parseLedger(bytes: Buffer, path: string, seal?: Seal): ReturnType<typeof readLedger> {
  // Latin-1 is lossless: two different invalid UTF-8 bytes must not decode to the same text.
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  const hashes = lines.map((line) => sha256(Buffer.from(line, "latin1")));
  const parsed = lines.map(parsedLine);
  const intact = (i: number) => {
    const next = i + 1 === lines.length && seal?.lines === lines.length ? seal.hash : parsed[i + 1]?.previous;
    return next === undefined ? undefined : next === hashes[i];
  };
  for (const [i, record] of parsed.entries()) {
    const at = (line: number) => `${path}, line ${line + 1}`;
    if (record === undefined)
      fail(at(i), "a record with the hash of the line before", lines[i].slice(0, 80), undefined, "corrupt");
    const before = i === 0 ? noLine : hashes[i - 1];
    if (record.previous === before) continue;
    // If the next line still confirms this one, the previous line was changed.
    const changed = i > 0 && intact(i) === true ? i - 1 : i;
    fail(
      at(changed),
      "the line as it was written",
      "one that was changed",
      "Its hash does not match the next line",
      "corrupt",
    );
  }
  if (seal !== undefined && (seal.lines !== lines.length || seal.hash !== (hashes.at(-1) ?? noLine)))
    fail(
      `${path}, line ${seal.lines === lines.length ? seal.lines : Math.min(seal.lines, lines.length) + 1}`,
      `${seal.lines} lines, the last as it was sealed`,
      seal.lines === lines.length ? "another last line" : `${lines.length} lines`,
      undefined,
      "corrupt",
    );
  return { records: parsed.map((record) => withoutHash(record!)), hashes };
}

type Linked = Record<string, unknown> & { readonly previous: string };

function parsedLine(line: string): Linked | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(line, "latin1").toString("utf8"));
    const isLinked = typeof value === "object" && value !== null && "previous" in value;
    return isLinked && typeof value.previous === "string" ? (value as Linked) : undefined; // checked above
  } catch {
    return undefined;
  }
}

function withoutHash({ previous: _, ...record }: Linked): unknown {
  return record;
}

/*
 * Streaming verification of a chain of lines, one at a time.
 *
 *     {"previous":"0000...","key":"3f...","text":"3"}\n
 *     {"previous":"9c1f...","key":"07...","text":"7"}\n    9c1f... is the SHA-256 of the line above
 *
 * A seal, stored elsewhere, confirms the first n lines: more may follow, none may be missing.
 */

export interface Chain {
  /** Adds the next line and the hash that it includes. @throws LabError (corrupt) naming the changed line. */
  line(bytes: Uint8Array, previous: string): void;
  /** Call after the last line. */
  end(): Seal;
}

export function chain(path: string, seal?: Seal): Chain {
  let lines = 0;
  let hash = noLine;
  /** A line, from 1, that does not match the hash of the one before it: either of the two was changed. */
  let suspect: number | undefined;
  const changed = (line: number, hint: string) =>
    fail(
      `${path}, line ${Math.max(1, line)}`,
      "the line as it was written",
      "one that was changed",
      hint,
      "corrupt",
    );
  const broken = "Its hash does not match the next line; the lines before it are whole";
  return {
    line(bytes, previous) {
      // If the next line still confirms the suspect, the line before it was changed.
      if (suspect !== undefined) changed(previous === hash ? suspect - 1 : suspect, broken);
      if (previous !== hash) suspect = lines + 1;
      lines++;
      hash = sha256(bytes);
      if (seal !== undefined && lines === seal.lines && hash !== seal.hash)
        changed(suspect ?? lines, "Its hash is not what was sealed");
    },
    end() {
      if (suspect !== undefined) changed(seal?.lines === lines ? suspect - 1 : suspect, broken);
      if (seal !== undefined && lines < seal.lines)
        fail(
          `${path}, line ${lines + 1}`,
          `${seal.lines} lines, as they were sealed`,
          `${lines} lines`,
          undefined,
          "corrupt",
        );
      return { lines, hash };
    },
  };
}
