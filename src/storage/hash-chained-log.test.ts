import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { LabError } from "../core/error.ts";
import { noLine, openLedger, parseLedger, readLedger, type Seal } from "./hash-chained-log.ts";

const root = tmpFolder("ledger");
const whole = (record: unknown) => (record as { end?: true }).end === true;
const records = [{ at: 0 }, { at: 1, text: "ä\n" }, { at: 2, end: true }, { at: 3 }, { at: 4, end: true }];

function written(path: string): Seal {
  const ledger = openLedger(path, whole);
  for (const record of records) ledger.append(record);
  ledger.close();
  return ledger.seal();
}

test("each line holds the SHA-256 of the line before, the first one nothing but zeros", () => {
  const path = join(root, "chain.jsonl");
  const seal = written(path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const sums = lines.map((line) => createHash("sha256").update(line).digest("hex"));
  expect(lines.map((line) => JSON.parse(line).previous)).toEqual([noLine, ...sums.slice(0, -1)]);
  expect(seal).toEqual({ lines: 5, hash: sums[4] });
  expect(readLedger(path, seal).records).toEqual(records);
});

test("every byte that is changed is found, and the line in which it stands is named", () => {
  const path = join(root, "changed.jsonl");
  const seal = written(path);
  const bytes = readFileSync(path);
  let line = 1;
  for (const [at, byte] of bytes.entries()) {
    for (const other of [byte ^ 1, 0xff, 0x0a].filter((each) => each !== byte)) {
      const changed = Buffer.from(bytes);
      changed[at] = other;
      let words = "";
      try {
        parseLedger(changed, path, seal);
      } catch (error) {
        expect(error).toBeInstanceOf(LabError);
        expect((error as LabError).kind).toBe("corrupt");
        words = (error as LabError).message;
      }
      // Where the newline itself is changed, two lines become one.
      expect(words, `byte ${at} to ${other}`).toContain(`, line ${line}:`);
    }
    if (byte === 10) line++;
  }
  expect(line).toBe(6);
});

test("lines that are missing, added or exchanged are found", () => {
  const path = join(root, "lines.jsonl");
  const seal = written(path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  for (const others of [
    lines.slice(1),
    lines.slice(0, -1),
    lines.toSpliced(2, 1),
    [...lines, lines[4]],
    [lines[0], lines[2], lines[1], ...lines.slice(3)],
  ]) {
    writeFileSync(path, `${others.join("\n")}\n`);
    expect(() => readLedger(path, seal)).toThrow(/lines\.jsonl, line \d/);
  }
});

test("what a killed writer left half is written again, to the same bytes", () => {
  const path = join(root, "killed.jsonl");
  written(path);
  const bytes = readFileSync(path);
  for (let cut = 0; cut < bytes.length; cut += 23) {
    writeFileSync(path, bytes.subarray(0, cut));
    const ledger = openLedger(path, whole);
    for (const record of records.slice(ledger.kept.length)) ledger.append(record);
    ledger.close();
    expect(readFileSync(path).equals(bytes), `cut at ${cut}`).toBe(true);
  }
  appendFileSync(path, '{"half');
  expect(readLedger(path).records).toHaveLength(5);
});
