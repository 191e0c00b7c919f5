/**
 * @file Cases for a door, which is whatever takes in what somebody else wrote: a sample of it, mistreated.
 *
 *     {"train": {"steps": 300}}        {"train": {"steps": 300}{"train": {"st      {"train": {"steps": 1e999}}
 *
 * A door may refuse, by a LabError, and nothing else. A case that made one fail is kept in golden/fuzz.txt, with the door's
 * name, and asked again by every `npm test`.
 */

import { appendFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { LabError } from "../../src/core/error.ts";
import { ApiError } from "../../src/serve/api-error.ts";

export interface Door {
  readonly name: string;
  /** What it takes, and what it should refuse. */
  readonly samples: readonly (string | Uint8Array)[];
  /** Words of its language, to be put in anywhere. */
  readonly words?: readonly string[];
  /** How many cases it takes to cost as much as a hundred of a plain parser. */
  readonly cost?: number;
  open(bytes: Buffer): unknown;
}

const words = [
  ..."\0 \n \r\n \" ' ` \\ / { } [ ] ( ) < > : , ; = # * & ! % ? - + . _ \ufeff \u202e \x9b31m é 😀 \ud800".split(
    " ",
  ),
  ...'0 -0 1e999 -1e999 1e-400 NaN -Infinity null true "" [] {} 9007199254740993 0x10 .5 1. 1e1000000000 ""'.split(
    " ",
  ),
  ...'"__proto__": "constructor": "toString" {"__proto__":{"x":1}} "\\ud800" "\\u0000"'.split(" "),
  ...["\t", " ", "\n\n", "../../etc/passwd", "/dev/zero", "%s%n", "-".repeat(300), "a".repeat(70_000)],
];
const values = [
  ...'null true 0 -1 1.5 1e308 -1e308 9007199254740993 1e999 "" "x" [] {} [[]] [null] {"a":1} "__proto__"'.split(
    " ",
  ),
  ...['"NaN"', '"\\u0000"', '{"__proto__":[]}'],
  ...[`"${"y".repeat(5000)}"`, `${"[".repeat(500)}${"]".repeat(500)}`],
];
const anyValue = /"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b/g;
const longest = 300_000;

/** A place in the text as a share of it, so that a case stays one while it is made smaller. */
const place = fc.nat(1023).map((part) => part / 1024);
const [word, other, times] = [fc.nat(9999), fc.nat(99), fc.nat(16)];
const kind = <Name extends string>(name: Name) => fc.constant(name);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind("insert"), at: place, word }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("value"), at: place, word }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("cut"), at: place, share: place }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("flip"), at: place, bit: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("mix"), at: place, from: place, other }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("repeat"), at: place, share: place, times }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export const someCase = fc.record({ sample: fc.nat(99), steps: fc.array(step, { maxLength: 5 }) });
export type Case = typeof someCase extends fc.Arbitrary<infer T> ? T : never;

const bytesOf = (text: string | Uint8Array) =>
  typeof text === "string" ? Buffer.from(text) : Buffer.from(text);

export function bytesFor(door: Door, { sample, steps }: Case): Buffer {
  let bytes: Buffer = bytesOf(door.samples[sample % door.samples.length]);
  for (const each of steps) if (bytes.length < longest) bytes = mistreated(bytes, each, door);
  return bytes;
}

function mistreated(bytes: Buffer, how: Step, door: Door): Buffer {
  const at = Math.floor(how.at * (bytes.length + 1));
  switch (how.kind) {
    case "insert": {
      const all = [...words, ...(door.words ?? [])];
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(all[how.word % all.length]),
        bytes.subarray(at),
      ]);
    }
    case "value": {
      const text = bytes.toString("latin1");
      const found = [...text.matchAll(anyValue)];
      if (found.length === 0) return bytes;
      const { index, 0: old } = found[Math.floor(how.at * found.length)];
      const value = values[how.word % values.length];
      return Buffer.from(text.slice(0, index) + value + text.slice(index + old.length), "latin1");
    }
    case "cut": {
      const end = at + Math.ceil(how.share * how.share * (bytes.length - at));
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    }
    case "flip": {
      const changed = Buffer.from(bytes);
      if (at < changed.length) changed[at] ^= 1 << how.bit;
      return changed;
    }
    case "mix": {
      const other = bytesOf(door.samples[how.other % door.samples.length]);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(Math.floor(how.from * other.length))]);
    }
    case "repeat": {
      const part = bytes.subarray(at, at + 1 + Math.floor(how.share ** 3 * 200));
      const times = Math.min(2 ** how.times, Math.floor(longest / (part.length + 1)));
      return Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(times).fill(part), bytes.subarray(at)]);
    }
    default:
      return how satisfies never;
  }
}

const longestSeconds = 2;

/** What is wrong with how the door took these bytes; undefined where nothing is. */
export async function wrongWith(door: Door, bytes: Buffer): Promise<string | undefined> {
  const started = process.cpuUsage(); // other processes take their share of a clock's time
  let wrong: string | undefined;
  try {
    await door.open(bytes);
  } catch (error) {
    if (!(error instanceof LabError || error instanceof ApiError))
      wrong = error instanceof Error ? (error.stack ?? error.message) : `threw ${String(error)}`;
    else if (error.message.length > 10_000) wrong = `a message of ${error.message.length} characters`;
  }
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1e6;
  if (wrong === undefined && seconds > longestSeconds) wrong = `it took ${seconds.toFixed(1)} s`;
  return wrong;
}

/** A line a case: its door, and its bytes, compressed and in base 64. */
const corpus = fileURLToPath(new URL("../../golden/fuzz.txt", import.meta.url));

/** The cases that were kept for a door, by their lines in the file. */
export function keptFor(door: Door): { readonly line: number; readonly bytes: Buffer }[] {
  return readFileSync(corpus, "utf8")
    .split("\n")
    .flatMap((text, i) => {
      const [name, packed] = text.split(" ");
      return name === door.name ? [{ line: i + 1, bytes: gunzipSync(Buffer.from(packed, "base64")) }] : [];
    });
}

/** Keeps a case that fails. */
export function keep(door: Door, bytes: Buffer): string {
  appendFileSync(corpus, `${door.name} ${gzipSync(bytes).toString("base64")}\n`);
  return corpus;
}

/** The same case with every step left out that it fails without. */
export async function smaller(door: Door, given: Case): Promise<Case> {
  for (const step of given.steps) {
    const less = { ...given, steps: given.steps.filter((each) => each !== step) };
    if ((await wrongWith(door, bytesFor(door, less))) !== undefined) return smaller(door, less);
  }
  return given;
}
