/** @file The page of any runs, read back: its numbers and its checks. */

import { describe, expect, test } from "vitest";
import { RunConfig } from "../schemas/run-config.ts";
import { all, readMarkup, textOf } from "./markup.test-helper.ts";
import { type ReportedKind, type ReportedRun, type ReportedTest, runChecks, runsReport } from "./runs.ts";

const stages = [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]];

const asked = (
  spacing: number,
  accuracy: number,
  more: { interval?: [number, number] } = {},
): ReportedTest => ({
  ...{ name: `spacing ${spacing}`, change: { spacing }, asTrained: spacing < 4, densest: spacing === 1 },
  ...{ programs: 50, reveals: 200 },
  ...{ accuracy, accuracyLast: accuracy, references: { exactBayes: 1, windowedBayes: 0.75 }, ...more },
});

function run(
  seed: number,
  tests: readonly ReportedTest[],
  { reached = 2, steps = 100, rate = 0.001 } = {},
): ReportedRun {
  const config = RunConfig.parse({
    seed,
    task: { name: "repl", variables: 3, commands: 4 },
    model: { name: "lstm" },
    train: { steps: 100, batch: 8, learningRate: rate },
    curriculum: { stages },
  });
  return {
    ...{ folder: `runs/a/seed-${seed}`, config, step: steps, tests, densest: ["spacing 1"] },
    curve: {
      ...{ seed, parameters: 1234, learningRate: rate, batch: 8, steps: 100, seconds: 65 },
      stages: { reached, of: 2 },
      points: [10, 50, steps].map((step) => ({ step, loss: 1, accuracy: 0.5, stage: "1" })),
    },
  };
}

const pageOf = (kinds: readonly ReportedKind[]) =>
  readMarkup(runsReport(kinds, { command: "statelab report runs" }));
const rowsOf = (kinds: readonly ReportedKind[]) =>
  all(pageOf(kinds), "tr").map((row) => [...all(row, "th"), ...all(row, "td")].map(textOf));

describe("the numbers", () => {
  const one = { name: "one", runs: [run(0, [asked(1, 0.99, { interval: [0.97, 1] }), asked(4, 0.5)])] };
  const two = {
    name: "two",
    runs: [run(0, [asked(1, 1), asked(4, 0.8)]), run(1, [asked(1, 0.98), asked(4, 0.9)])],
  };

  test("are in one row with the references, with Student's interval over seeds, or that of one seed over its programs", () => {
    const rows = rowsOf([one, two]);
    expect(rows).toContainEqual(["spacing 1", "one", "1", "99.0 % [97.0, 100.0]", "99.0", "100.0", "75.0"]);
    // 0.85 with t of one degree of freedom, 12.7, times 0.05: cut to [0.2, 1].
    expect(rows).toContainEqual(["spacing 4 *", "two", "2", "85.0 % [21.5, 100.0]", "85.0", "100.0", "75.0"]);
  });

  test("of settings only those are side by side in which kinds differ", () => {
    const other = { name: "fast", runs: [run(0, [asked(1, 1)], { rate: 0.01 })] };
    const rows = rowsOf([one, other]);
    expect(rows).toContainEqual(["train.learningRate", "0.001", "0.01"]);
    expect(rows.map(([key]) => key)).not.toContain("train.batch");
    expect(textOf(pageOf([one, other]))).toContain("train.batch");
  });

  test("three values of a number are drawn, two are not", () => {
    const three = { name: "three", runs: [run(0, [asked(1, 1), asked(2, 0.9), asked(4, 0.5)])] };
    expect(textOf(pageOf([three]))).toContain("By what is changed");
    expect(textOf(pageOf([two]))).not.toContain("By what is changed");
  });
});

const tested = [asked(1, 1), asked(4, 0.5)];

test.each([
  [
    "a curriculum that did not reach its last stage, by seed",
    [run(0, tested, { reached: 1 }), run(1, tested, { reached: 1 }), run(2, tested)],
    [
      [", seed 0: stage of its curriculum", [1]],
      [", seed 1: stage of its curriculum", [1]],
    ],
  ],
  [
    "a run that has not learned the densest reveals of its training",
    [run(0, [asked(1, 0.4), asked(4, 0.35)])],
    [[": densest reveals of its training, spacing 1", [0.4]]],
  ],
  [
    "a run that was tested on wider reveals alone is unknown, not unlearned",
    [run(0, [asked(2, 0.23), asked(4, 0.3)])],
    [[": tests of the densest reveals of its training", [0]]],
  ],
  ["a training that is not over", [run(0, [], { steps: 60 })], [[": steps", [60]]]],
  ["none if all is learned", [run(0, [asked(1, 0.99), asked(4, 0.3)])], []],
] as const)("expectations that are not met: %s", (_, runs, expected) => {
  const unmet = runChecks([{ name: "kind", runs }]).map(({ name, values, met }) => [name, values, met]);
  expect(unmet).toEqual(expected.map(([name, values]) => [`kind${name}`, values, false]));
  const rows = unmet.map(([name]) => expect.arrayContaining([name, "no"]));
  expect(rowsOf([{ name: "kind", runs }])).toEqual(expect.arrayContaining(rows));
});

test("names from a folder are text, never markup", () => {
  const name = "<script>alert(1)</script>";
  expect(runsReport([{ name, runs: [run(0, [asked(1, 1)])] }], { command: name })).not.toContain("<script");
});
