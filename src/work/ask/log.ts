/**
 * @file The log of answers on the disk: appended to as answers come, and read back one answer at a time. In memory are
 * the keys and where in the file each answer stands, so fifty thousand long answers take a few megabytes.
 */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Answers, Kept } from "../../eval/ask.ts";
import { replyEnd } from "../../eval/finish.ts";
import { parseWith } from "../../records/config.ts";
import { fail } from "../../records/error.ts";
import { AnswerRecord } from "../../records/eval.ts";
import { type Lock, openLog } from "../../store/index.ts";

export interface AnswerLog extends Answers {
  readonly count: number;
  close(): void;
}

interface Place {
  readonly at: number;
  readonly length: number;
}

/** Opens the log, making it if there is none. One writer at a time: the caller holds the folder's lock. */
export async function openAnswerLog(path: string, lock?: Lock): Promise<AnswerLog> {
  const log = openLog(path, { lock });
  const { places, end: whole } = await placesIn(path);
  let end = whole;
  const reader = readerOf(path, places);
  return {
    get count() {
      return places.size;
    },
    get: reader.get,
    keep(answer: Kept) {
      const record: AnswerRecord = { version: 1, ...answer, at: new Date().toISOString() };
      log.append(record);
      const length = Buffer.byteLength(JSON.stringify(record));
      places.set(answer.key, { at: end, length });
      end += length + 1;
    },
    close() {
      log.sync();
      log.close();
      reader.close();
    },
  };
}

/** The answers of a log that somebody else may be writing to; none where there is no log. */
export async function readAnswers(
  path: string,
): Promise<Pick<Answers, "get"> & { keys(): Iterable<string>; close(): void }> {
  if (!existsSync(path)) return { get: () => undefined, keys: () => [], close() {} };
  const { places } = await placesIn(path);
  return { ...readerOf(path, places), keys: () => places.keys() };
}

async function placesIn(path: string): Promise<{ places: Map<string, Place>; end: number }> {
  const places = new Map<string, Place>();
  let end = 0;
  for await (const { line, at, length } of linesOf(path)) {
    end = at + length + 1;
    const where = `${path}, byte ${at}`;
    const { key, finish } = recordOf(line, where);
    // Earlier versions took what the endpoint had cut for an answer; it is asked again.
    if (replyEnd(finish) !== "cut") places.set(key, { at, length });
  }
  return { places, end };
}

function readerOf(path: string, places: ReadonlyMap<string, Place>) {
  const file = openSync(path, "r");
  return {
    get(key: string): Kept | undefined {
      const place = places.get(key);
      if (place === undefined) return undefined;
      const bytes = Buffer.alloc(place.length);
      readSync(file, bytes, 0, place.length, place.at);
      const { version: _, at: __, ...kept } = recordOf(bytes.toString("utf8"), `${path}, byte ${place.at}`);
      return kept;
    },
    close: () => closeSync(file),
  };
}

function recordOf(line: string, at: string): AnswerRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return fail(at, "a JSON record", line.slice(0, 80), "The log is damaged; remove that line", "corrupt");
  }
  return parseWith(AnswerRecord, value, at);
}

/** The whole lines of a file, a megabyte at a time. */
export async function* linesOf(
  path: string,
): AsyncGenerator<{ readonly line: string; readonly at: number; readonly length: number }> {
  if (!existsSync(path)) return;
  const file = await open(path, "r");
  try {
    let rest = Buffer.alloc(0);
    let at = 0;
    for (;;) {
      const chunk = Buffer.alloc(1 << 20);
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at + rest.length);
      if (bytesRead === 0) return;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let newline = rest.indexOf(10); newline >= 0; newline = rest.indexOf(10, start)) {
        yield { line: rest.toString("utf8", start, newline), at: at + start, length: newline - start };
        start = newline + 1;
      }
      rest = Buffer.from(rest.subarray(start));
      at += start;
    }
  } finally {
    await file.close();
  }
}
