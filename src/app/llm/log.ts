/**
 * @file The log of answers on disk: answers are appended as they arrive and read back one at a time. Memory has only
 * the keys and byte offsets, so fifty thousand long answers take a few megabytes.
 *
 * Each line has the hash of the line before (storage/hash-chained-log.ts), and `answers.seal.json` that of the last: a changed byte is found.
 */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { fail, LabError } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import { parseWith } from "../../core/settings.ts";
import type { Answers, Kept } from "../../eval/ask.ts";
import { AnswerRecord, AnswerSeal } from "../../schemas/eval.ts";
import {
  chain,
  type Lock,
  openLog,
  readRecord,
  type Seal,
  sha256,
  writeFileAtomic,
} from "../../storage/index.ts";

interface AnswerLog extends Answers {
  readonly count: number;
  /** Seals what is there. */
  close(): Promise<void>;
}

interface Place {
  readonly at: number;
  readonly length: number;
}

export const sealPath = (path: string) => path.replace(/\.jsonl$/, ".seal.json");

const sealHint = "It can be removed, and the answers are taken as they are";

/**
 * Opens the log, making it if there is none. One writer at a time: the caller has the folder's lock.
 * @throws LabError (corrupt) naming the line that was changed, or that is missing.
 */
export async function openAnswerLog(path: string, lock?: Lock): Promise<AnswerLog> {
  const sealed = await sealedAt(path);
  const log = openLog(path, { lock });
  const { places, end: whole, seal: found } = await placesIn(path, sealed);
  let end = whole;
  let seal = found;
  const file = openSync(path, "r");
  return {
    get count() {
      return places.size;
    },
    get: (key) => keptAt(places.get(key), file, path),
    keep(answer: Kept) {
      const record: AnswerRecord = {
        ...{ version: 1, previous: seal.hash, ...answer },
        at: new Date().toISOString(),
      };
      log.append(record);
      const line = jsonText(record, path);
      const length = Buffer.byteLength(line);
      places.set(answer.key, { at: end, length });
      end += length + 1;
      seal = { lines: seal.lines + 1, hash: sha256(line) };
    },
    async close() {
      log.sync();
      log.close();
      closeSync(file);
      if (seal.lines === (sealed?.lines ?? 0)) return;
      await writeFileAtomic(sealPath(path), `${jsonText({ version: 1, ...seal }, sealPath(path))}\n`, lock);
    },
  };
}

/** The same to read alone, held against chain and seal; nothing is made or changed. Somebody else may be writing to it. */
export async function readAnswerLog(
  path: string,
): Promise<Pick<AnswerLog, "count" | "get"> & { keys(): Iterable<string>; close(): void }> {
  if (!existsSync(path)) fail(path, "an existing log of answers", "no such file");
  const { places } = await placesIn(path, await sealedAt(path));
  const file = openSync(path, "r");
  return {
    count: places.size,
    keys: () => places.keys(),
    get: (key) => keptAt(places.get(key), file, path),
    close: () => closeSync(file),
  };
}

/** What a log has so far; none where there is no log. */
export async function answersSoFar(path: string): Promise<Awaited<ReturnType<typeof readAnswerLog>>> {
  if (existsSync(path)) return readAnswerLog(path);
  return { count: 0, keys: () => [], get: () => undefined, close() {} };
}

const sealedAt = async (path: string) =>
  existsSync(sealPath(path)) ? readRecord(sealPath(path), AnswerSeal, sealHint) : undefined;

function keptAt(place: Place | undefined, file: number, path: string): Kept | undefined {
  if (place === undefined) return undefined;
  const bytes = Buffer.alloc(place.length);
  readSync(file, bytes, 0, place.length, place.at);
  const {
    version: _,
    at: __,
    previous: ___,
    ...kept
  } = recordOf(bytes.toString("utf8"), `${path}, byte ${place.at}`);
  return kept;
}

/** Byte offsets of the answers. Checks the hash chain; a partial last line is dropped. */
async function placesIn(path: string, sealed: Seal | undefined) {
  const places = new Map<string, Place>();
  const links = chain(path, sealed);
  let end = 0;
  let count = 0;
  for await (const { line, bytes, at, length } of answerLines(path)) {
    end = at + length + 1;
    const { key, previous } = recordOf(line, `${path}, line ${++count}`);
    links.line(bytes, previous);
    places.set(key, { at, length });
  }
  return { places, end, seal: links.end() };
}

function recordOf(line: string, at: string): AnswerRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const hint = "The log is damaged from this line on; the lines before it are intact";
    return fail(at, "a JSON record", line.slice(0, 80), hint, "corrupt");
  }
  try {
    return parseWith(AnswerRecord, value, at);
  } catch (error) {
    // the program writes this file, so a line that breaks the schema was changed
    throw error instanceof LabError ? new LabError(error.message, "corrupt") : error;
  }
}

/** Bytes: no answer is so long, and of a longer line every chunk would copy all before it. */
const longestLine = 2 ** 26;

/** The whole lines of a file, a megabyte at a time. */
export async function* answerLines(path: string): AsyncGenerator<{
  readonly line: string;
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
}> {
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
        const bytes = rest.subarray(start, newline);
        yield { line: bytes.toString("utf8"), bytes, at: at + start, length: newline - start };
        start = newline + 1;
      }
      rest = Buffer.from(rest.subarray(start));
      if (rest.length > longestLine)
        fail(
          `${path}, byte ${at + start}`,
          `a line of at most ${longestLine} bytes`,
          "more",
          undefined,
          "corrupt",
        );
      at += start;
    }
  } finally {
    await file.close();
  }
}
