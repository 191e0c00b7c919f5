import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TestedRecord } from "../../records/tested.ts";
import { answerTo, keepTested, readTested } from "./tested.ts";
import { knownTests } from "./tested-before.ts";

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
/** A row of an experiment as version 0.1 logged it. */
const row = {
  ...{ setting: "", model: "lstm", seed: 0, accuracy: 0.75, accuracyLast: 0.5, accuracyByReveal: [1, 0.5] },
  tested: { name: "12/1", change: { spacing: 1 }, programs: 2, reveals: 4, asTrained: true, chance: 0.5 },
  references: { exactBayes: { accuracy: 1, accuracyLast: 1, accuracyByReveal: [1, 1] } },
};

test("what is kept is read as it was, behind the lines of version 0.1, whose half last line is dropped", async () => {
  const path = join(folder, "tested.jsonl");
  writeFileSync(path, `${JSON.stringify(row)}\n{"setting":"","mod`);
  await keepTested(folder, record());
  await keepTested(folder, record({ change: { spacing: 4 } }));
  expect(readTested(folder)).toEqual([record(), record({ change: { spacing: 4 } })]);
  expect(readFileSync(path, "utf8").split("\n")[0]).toBe(JSON.stringify(row));
  expect(knownTests(folder).map(({ change, wanted }) => [change, wanted])).toEqual([
    [{ spacing: 1 }, 2],
    [{}, 2],
    [{ spacing: 4 }, 2],
  ]);
});

test("evaluation.json of version 0.1 is read with its single answers; one that has a version says nothing new", async () => {
  const path = join(folder, "evaluation.json");
  const old = { change: { spacing: 4 }, programs: 2, reveals: 3, accuracy: 2 / 3, accuracyLast: 0.5 };
  const results = [
    { ...old, accuracyByReveal: [1, 0], references: { exactBayes: 1 } },
    { ...old, accuracyByReveal: [1, 0], references: {}, wanted: 5, places: [0, 4], hits: [[1, 0], [1]] },
  ];
  const document = { run: "x", step: 9, model: { name: "lstm" }, results };
  writeFileSync(path, JSON.stringify(document));
  expect(knownTests(folder)).toMatchObject([
    { step: 9, wanted: 2, references: { exactBayes: { accuracy: 1 } } },
    { step: 9, wanted: 5, places: [0, 4], hits: ["10", "1"] },
  ]);
  writeFileSync(path, JSON.stringify({ version: 2, ...document }));
  expect(knownTests(folder)).toEqual([]);
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
