import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Checked } from "../../src/app/check/check.ts";
import { statelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { good, planted, textOf } from "./planted.test-helper.ts";

const root = tmpFolder("check");
const at = (name: string) => join(root, name);
const run = (...args: string[]) => statelab(root, ...args);

let checked: ReadonlyMap<string, Checked> = new Map();
let code: number | null = null;

beforeAll(async () => {
  for (const [name, text] of Object.entries(good)) writeFileSync(at(name), text);
  for (const [name, fault] of Object.entries(planted)) writeFileSync(at(`${name}.ts`), textOf(fault));
  const files = [...examples, ...Object.keys(good), ...Object.keys(planted).map((name) => `${name}.ts`)];
  const ended = await run("check", ...files, "--json");
  code = ended.code;
  const all = JSON.parse(ended.stdout) as Checked[];
  checked = new Map(all.map((each) => [each.file, each]));
}, 120_000);

const examples = ["my-model.ts", "my-task.ts"].map((name) =>
  fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)),
);

const wrongIn = (file: string) =>
  checked
    .get(file)
    ?.findings.flatMap(({ check, problem }) => (problem === undefined ? [] : [{ check, problem }]));

// Nor in any model or task of the lab: the conformance suites ask the same checks of all.
test.each([...examples, ...Object.keys(good)])("nothing is found wrong in %s", (file) => {
  expect(wrongIn(file)).toEqual([]);
});

test("a session of Python is run by CPython, and other texts are not", () => {
  const python = (file: string) =>
    checked.get(file)?.findings.find(({ check }) => check === "CPython agrees");
  expect(python("session.ts")).toEqual({ check: "CPython agrees" });
  expect(python("lamp.ts")?.skipped).toBe("the texts are no Python that assigns the variables");
});

test.each(Object.entries(planted))("the planted fault is found and named: %s", (name, { finds, says }) => {
  const found = wrongIn(`${name}.ts`)?.find(({ check }) => check === finds);
  expect(found, JSON.stringify(wrongIn(`${name}.ts`))).toBeDefined();
  expect(found?.problem).toMatch(says);
  expect(code).toBe(1);
});

test("there are at least twelve planted faults", () => {
  expect(Object.keys(planted).length).toBeGreaterThanOrEqual(12);
});

test("the table names what is wrong, with exit code 1; --set configures what is examined", async () => {
  const wrong = await run("check bound-too-low.ts --set commands=8");
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(
    /^ *lengths in bounds +FAILED: example 0: it has 17 words, and maximumWords is 14$/m,
  );
  expect(wrong.stderr).toBe("statelab: 1 check failed\n");
  const none = await run("check model.ts --set leest=0");
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("Did you mean least?")]);
});

const config = (task: string, model: string) =>
  `task: ${task}\nmodel: ${model}\ntrain: { steps: 2, batch: 4 }\nevaluate: { examples: 5 }\n`;

test("train examines a file of one's own first, and trains it as it is only where that is said", async () => {
  writeFileSync(
    at("model.yaml"),
    config("{ name: parity, length: 8 }", "{ name: ./not-causal.ts, layers: 1, width: 8 }"),
  );
  writeFileSync(
    at("task.yaml"),
    config("{ name: ./reveal-contradicts-word.ts }", "{ name: gru, layers: 1, width: 8 }"),
  );
  const model = await run("train model.yaml --out a");
  expect([model.code, model.stderr]).toEqual([
    2,
    expect.stringMatching(
      /not-causal\.ts: the check "causal" found: the logits at position 0 .* --unchecked\n$/,
    ),
  ]);
  const task = await run("train task.yaml --out b");
  expect([task.code, task.stderr]).toEqual([
    2,
    expect.stringContaining('the check "reveals true" found: example 0'),
  ]);
  const forced = await run("train model.yaml --out c --unchecked");
  expect(forced.code, forced.stderr).toBe(0);
});
