/**
 * @file Losses of five training configurations over 20 steps and grades of 444 answers, compared with `behavior.json`:
 * a change of structure must not change them. Examples and traces have their own golden files (golden/tasks, golden/trace).
 *
 *     BEHAVIOR=write npx vitest run test/behavior.test.ts     writes a new behavior.json
 *     BEHAVIOR=exact npx vitest run test/behavior.test.ts     compares losses to the bit: on the machine that wrote it
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { readConfigFile } from "../src/app/run/config.ts";
import { trainRun } from "../src/app/run/train.ts";
import { gradeLiteral } from "../src/eval/scoring/grade.ts";
import { tmpFolder } from "./kit/tmp.ts";

const file = fileURLToPath(new URL("behavior.json", import.meta.url));
const mode = process.env.BEHAVIOR;
const folder = tmpFolder("behavior");

const recorded = mode === "write" ? { losses: {}, grades: "" } : JSON.parse(readFileSync(file, "utf8"));
const seen: { losses: Record<string, number[]>; grades: string } = { losses: {}, grades: "" };
afterAll(() => {
  if (mode === "write") writeFileSync(file, `${JSON.stringify(seen, null, 2)}\n`);
});

/** Every kind of model, loss, curriculum and head that the examples have. */
const configurations = ["deltanet", "lstm", "transformer", "deltanet-positive", "state-supervision"];

test.each(configurations)("the losses of %s over 20 steps", async (name) => {
  const example = name === "state-supervision" ? "deltanet" : name;
  const settings = ["train.steps=20", ...(name === example ? [] : ["stateSupervision.head=linear"])];
  const config = await readConfigFile(`examples/${example}.yaml`, settings, {
    task: undefined,
    model: undefined,
  });
  const run = join(folder, name);
  await trainRun(run, config, { unchecked: true, signal: new AbortController().signal });
  const lines = readFileSync(join(run, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  const losses = lines.map((line) => JSON.parse(line).loss).filter((loss) => typeof loss === "number");
  seen.losses[name] = losses;
  expect(losses).toHaveLength(20);
  if (mode === "write") return;
  const wanted: number[] = recorded.losses[name];
  if (mode === "exact") expect(losses).toEqual(wanted);
  // Other processors sum in another order.
  losses.forEach((loss, step) => {
    expect(Math.abs(loss - (wanted[step] ?? Number.NaN)), `step ${step + 1}`).toBeLessThan(1e-3);
  });
});

/** Each is an expected value, and an answer to all of them. */
const expected = "1|-1|1.0|True|'a'|[1, 2]|(1, 2)|{'a': 1}|{1, 2}|None|b'a'|''".split("|");
const others = [
  ...`01|1e0|0x1|1_0|+1|1.|true|"a"|'a|a|r'a'|u'a'|'''a'''|[1, 2,]|[1,2]|[2, 1]|[1, True]`.split("|"),
  ..."(1)|(1,)|{'a': 1.0}|{2, 1}|{1, 1}|set()|f(1)|1 + 1".split("|"),
];

test("the grades of answers", () => {
  const answers = [...expected, ...others];
  const letter = { correct: "c", wrong: "w", unreadable: "u" };
  const grades = expected.map((value) =>
    answers.map((answer) => letter[gradeLiteral(answer, value).kind]).join(""),
  );
  expect(grades.join("")).toHaveLength(444);
  seen.grades = grades.join(" ");
  if (mode !== "write") expect(seen.grades).toBe(recorded.grades);
});
