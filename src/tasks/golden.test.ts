import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, type TaskName, taskNamed, tasks } from "./index.ts";

/** Each file is `statelab generate TASK --count 3 --seed 0` with the settings beside it. */
const files: [TaskName, string, object][] = [
  ["repl", "", {}],
  ["asserts", "", {}],
  ["asserts", "permutations", { variables: 3, commandKind: "permutation", commands: 5, spacing: [1, 3] }],
  ["group-words", "", {}],
  ["group-words", "s5-swaps", { group: "S_5", generators: "swaps", length: [3, 12] }],
  ["group-words", "product-last", { group: "Z_2 x A_4", length: 6, targets: "last" }],
  ["parity", "", {}],
  ["parity", "each", { length: 12, targets: "each" }],
  ["modular-arithmetic", "", {}],
  ["recall", "", { length: 12 }],
  ["state-recall", "", { commands: 6, length: [8, 12] }],
  ["pfsa", "", {}],
  [
    "pfsa",
    "all-kinds",
    { commandKinds: ["swap", "maybe", "either", "hidden"], fullEvery: 2, start: "hidden" },
  ],
  ["automaton", "", {}],
  ["parity-program", "", {}],
  ["list-permutation", "", {}],
  ["arithmetic-program", "", {}],
  ["arithmetic-program", "three-digits", { length: 6, digits: 3 }],
];
const folder = new URL("../../golden/tasks/", import.meta.url);
const fileOf = (name: string, variant: string) => `${name}${variant && `-${variant}`}.jsonl`;

test.each(files)("golden/tasks/%s %s is still what seed 0 gives", (name, variant, params) => {
  const prepared = prepareTask(taskNamed(name), params);
  const drawn = [0, 1, 2].map(
    (i) => `${JSON.stringify(exampleFrom(prepared, exampleStream(0, "train")(i)))}\n`,
  );
  expect(drawn.join("")).toBe(readFileSync(new URL(fileOf(name, variant), folder), "utf8"));
});

test("every task has a golden file, and every golden file is compared", () => {
  expect(new Set(files.map(([name]) => name))).toEqual(new Set(Object.keys(tasks)));
  expect(readdirSync(folder).toSorted()).toEqual(
    files.map(([name, variant]) => fileOf(name, variant)).toSorted(),
  );
});
