import { appendFileSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import type { TestedRecord } from "../../schemas/test-result.ts";
import { tasks } from "../../tasks/index.ts";
import {
  answerTo,
  CHOICES,
  cameTo,
  densestTaught,
  hasPrograms,
  isInTrainingRange,
  RANGES,
  readResults,
  saveResult,
} from "./results.ts";

const scratch = tmpFolder("tested");
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
  await saveResult(folder, record());
  await saveResult(folder, record({ change: { spacing: 4 } }));
  expect(readResults(folder)).toEqual([record(), record({ change: { spacing: 4 } })]);
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
  await saveResult(folder, record());
  appendFileSync(join(folder, "tested.jsonl"), `${JSON.stringify({ ...record(), hits: ["12"] })}\n`);
  expect(() => readResults(folder)).toThrow(/tested\.jsonl, line 2: expected hits\.0 /);
});

type Run = Parameters<typeof cameTo>[0];
type Change = Readonly<Record<string, unknown>>;
const runOf = (task: Change, ...stages: Change[]) =>
  ({ task, curriculum: { stages: stages.map((stage) => [stage]) } }) as unknown as Run;

const run = runOf(
  { name: "arithmetic-program", length: 6, digits: 2 },
  { length: [1, 1] },
  { length: [1, 3] },
  { length: [1, 6] },
);
const at = (change: Change, stage: number) => cameTo(run, { change, asTrained: true }, stage).asTrained;

test("a length is as trained from the first stage on that draws it from its range", () => {
  expect([0, 1, 2].map((stage) => at({ length: 3 }, stage))).toEqual([false, true, true]);
  expect([0, 1, 2].map((stage) => at({ length: 1 }, stage))).toEqual([true, true, true]);
  expect([0, 1, 2].map((stage) => at({ length: [4, 6] }, stage))).toEqual([false, false, true]);
  expect([0, 1, 2].map((stage) => at({ length: [1, 6] }, stage))).toEqual([false, false, true]);
});

test("what no stage has stays as it was planned", () => {
  expect(at({ length: 3, digits: 1 }, 0)).toBe(true);
  expect(cameTo(run, { change: { length: 7 }, asTrained: false }, 2).asTrained).toBe(false);
});

test("in the curriculum is what a stage draws from its range, and nothing beyond it", () => {
  const taught = [1, 6, [2, 5], [1, 6]].map((length) => isInTrainingRange(run, { length }));
  expect(taught).toEqual([true, true, true, true]);
  expect([7, [5, 7]].map((length) => isInTrainingRange(run, { length }))).toEqual([false, false]);
  expect(isInTrainingRange(run, { length: 3, digits: 1 })).toBe(false);
});

test("of choices those that are listed, and not what lies between them", () => {
  const sparse = runOf({ name: "repl", commands: 12 }, { spacing: [4, 8] });
  expect([4, 8, [8, 4]].map((spacing) => isInTrainingRange(sparse, { spacing }))).toEqual([true, true, true]);
  expect([6, [4, 6]].map((spacing) => isInTrainingRange(sparse, { spacing }))).toEqual([false, false]);
  const machine = runOf({ name: "pfsa" }, { commandKinds: ["maybe", "definitely"] });
  expect(isInTrainingRange(machine, { commandKinds: ["maybe"] })).toBe(false); // a program has all kinds that are listed
});

test("an option that is left out is its default", () => {
  const usual = runOf({ name: "repl" }, {});
  expect(isInTrainingRange(usual, { spacing: 4 })).toBe(true);
  expect(isInTrainingRange(usual, { spacing: 5 })).toBe(false);
});

test("the densest of a training are its fewest commands to a reveal, in the stages that it came to, whatever a test asks", () => {
  const full = { spacing: 1, reveal: "full" };
  const widening = runOf(
    { name: "repl", commands: 12 },
    full,
    { spacing: 1 },
    { spacing: 4 },
    { spacing: 12 },
  );
  expect(densestTaught(widening, 3)).toEqual([full, { spacing: 1 }]);
  expect(densestTaught(widening, 0)).toEqual([full]);
  const late = runOf({ name: "repl", commands: 12 }, { spacing: 12 }, { spacing: [4, 8] }, { spacing: 4 });
  expect(densestTaught(late, 0)).toEqual([{ spacing: 12 }]);
  expect(densestTaught(late, 2)).toEqual([{ spacing: 4 }]); // 4 of 4 and 8 is the same as 4 alone
  // Its default is 4, also where nobody says so.
  expect(densestTaught(runOf({ name: "repl" }, { spacing: 12 }, {}), 1)).toEqual([{}]);
  // What has no spacing is judged by all that was trained.
  expect(densestTaught(run, 1)).toEqual([{ length: [1, 1] }, { length: [1, 3] }]);
  expect(hasPrograms(run.task, { length: [1, 3] }, { length: 2 })).toBe(true);
  expect(hasPrograms(run.task, { length: [1, 3] }, { length: 4 })).toBe(false);
});

test("a run of a task that is no longer there is compared as it is said", () => {
  const old = runOf({ name: "gone", size: 3 }, { length: [1, 4] });
  expect(isInTrainingRange(old, { length: 2 })).toBe(true);
  expect(isInTrainingRange(old, { length: 5 })).toBe(false);
});

/** Options that take a value or a list: of which the list has two places, and of which it has any number of such values. */
function listsOf(schema: Json): { ranges: string[]; choices: string[] } {
  const objects = schema.anyOf ?? schema.oneOf ?? [schema];
  const fields = objects.flatMap(({ properties = {} }) => Object.entries(properties));
  const named = (isList: (one: Json, of: readonly Json[]) => boolean) =>
    fields.filter(([, { anyOf }]) => anyOf?.some((one) => isList(one, anyOf))).map(([name]) => name);
  return {
    ranges: named(({ prefixItems }) => prefixItems?.length === 2),
    choices: named(({ items }, all) => all.some((one) => JSON.stringify(one) === JSON.stringify(items))),
  };
}
interface Json {
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly prefixItems?: readonly Json[];
  readonly items?: Json;
}

test("every option of every task that can be a range or a list of choices is known as such", () => {
  const lists = Object.values(tasks).map(({ params }) =>
    listsOf(z.toJSONSchema(params, { io: "input" }) as Json),
  );
  expect(new Set(lists.flatMap(({ ranges }) => ranges))).toEqual(RANGES);
  expect(new Set(lists.flatMap(({ choices }) => choices))).toEqual(CHOICES);
});
