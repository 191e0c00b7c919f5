/** @file The page of any runs, read back: each number where it belongs, and what must be known before any number. */

import { describe, expect, test } from "vitest";
import { RunConfig } from "../schemas/run-config.ts";
import { all, readMarkup, textOf, withClass } from "./markup.test-helper.ts";
import { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "./runs.ts";

const stages = [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]];

const asked = (
  spacing: number,
  accuracy: number,
  more: { interval?: [number, number] } = {},
): ReportedTest => ({
  ...{
    name: `spacing ${spacing}`,
    change: { spacing },
    asTrained: spacing < 4,
    densest: spacing === 1,
    programs: 50,
    reveals: 200,
  },
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
const cautions = (kinds: readonly ReportedKind[]) => withClass(pageOf(kinds), "caution").map(textOf);
const rowsOf = (kinds: readonly ReportedKind[]) =>
  all(pageOf(kinds), "tr").map((row) => [...all(row, "th"), ...all(row, "td")].map(textOf));

describe("the numbers", () => {
  const one = { name: "one", runs: [run(0, [asked(1, 0.99, { interval: [0.97, 1] }), asked(4, 0.5)])] };
  const two = {
    name: "two",
    runs: [run(0, [asked(1, 1), asked(4, 0.8)]), run(1, [asked(1, 0.98), asked(4, 0.9)])],
  };

  test("stand beside what a filter can know, with Student's interval over seeds, or that of one seed over its programs", () => {
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

describe("before any number it is said", () => {
  test("which curriculum never came to its end, by the seeds", () => {
    const tests = [asked(1, 1), asked(4, 0.5)];
    const stalled = [run(0, tests, { reached: 1 }), run(1, tests, { reached: 1 }), run(2, tests)];
    expect(cautions([{ name: "slow", runs: stalled }])).toEqual([
      "slow, seeds 0 and 1: trained in 1 of 2 stages of its curriculum; never on spacing 2.",
    ]);
  });

  test("who had not learned the densest reveals of its training", () => {
    const [sentence, ...others] = cautions([
      { name: "guesser", runs: [run(0, [asked(1, 0.4), asked(4, 0.35)])] },
    ]);
    expect(sentence).toMatch(
      /^guesser had not learned the densest reveals that it was trained on: 40\.0\s% at spacing 1\./,
    );
    expect(others).toEqual([]);
  });

  test("nothing of learning where only wider reveals were asked: those say nothing of it", () => {
    expect(cautions([{ name: "far", runs: [run(0, [asked(2, 0.23), asked(4, 0.3)])] }])).toEqual([
      "far was not tested at the densest reveals of its training (spacing 1), so whether it has learned them is unknown.",
    ]);
  });

  test("that a training is not over, or that nothing was asked yet", () => {
    expect(cautions([{ name: "half", runs: [run(0, [], { steps: 60 })] }])).toEqual([
      "half is trained to step 60 of 100.",
    ]);
    expect(textOf(pageOf([{ name: "half", runs: [run(0, [])] }]))).toContain(
      "statelab evaluate RUN asks them",
    );
  });

  test("nothing of who has learned all of it", () => {
    expect(cautions([{ name: "fine", runs: [run(0, [asked(1, 0.99), asked(4, 0.3)])] }])).toEqual([]);
  });
});

test("names from a folder are text, never markup", () => {
  const name = "<script>alert(1)</script>";
  expect(runsReport([{ name, runs: [run(0, [asked(1, 1)])] }], { command: name })).not.toContain("<script");
});
