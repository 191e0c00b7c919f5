import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TestedRecord } from "../../schemas/test-result.ts";
import { answerTo, keepTested, readTested } from "./results.ts";

const scratch = mkdtempSync(join(tmpdir(), "statelab-tested-"));
afterAll(() => rmSync(scratch, { recursive: true }));
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(scratch, "x-"));
});

const record = (about: Partial<TestedRecord> = {}): TestedRecord => ({
  ...{ version: 2, step: 9, change: {}, wanted: 2, programs: 2, reveals: 3 },
  ...{ accuracy: 2 / 3, accuracyLast: 0.5, accuracyByReveal: [1, 0] },
  references: { exactBayes: { accuracy: 1, accuracyLast: 1, accuracyByReveal: [1, 1] } },
  ...{ places: [0, 4], hits: ["10", "1"] },
  ...about,
});

test("what is kept is read as it was", async () => {
  await keepTested(folder, record());
  await keepTested(folder, record({ change: { spacing: 4 } }));
  expect(readTested(folder)).toEqual([record(), record({ change: { spacing: 4 } })]);
});

test("an answer belongs to the same weights, the same change and the same number of programs", () => {
  const known = [record(), record({ change: { spacing: 4, commands: 8 } }), record({ accuracy: 1 })];
  const about = { step: 9, change: {}, wanted: 2 };
  expect(answerTo(known, about)?.accuracy).toBe(1); // the last
  for (const other of [{ step: 8 }, { wanted: 3 }, { change: { spacing: 4 } }]) {
    expect(answerTo(known, { ...about, ...other })).toBeUndefined();
  }
  // Programs are drawn by the text of the change: in another order they are others.
  expect(answerTo(known, { ...about, change: { commands: 8, spacing: 4 } })).toBeUndefined();
  expect(answerTo(known, { ...about, change: { spacing: 4, commands: 8 } })).toBe(known[1]);
});

test("a line that is no record is named", async () => {
  await keepTested(folder, record());
  appendFileSync(join(folder, "tested.jsonl"), `${JSON.stringify({ ...record(), hits: ["12"] })}\n`);
  expect(() => readTested(folder)).toThrow(/tested\.jsonl, line 2: expected hits\.0 /);
});
