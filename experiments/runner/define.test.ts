import { expect, test } from "vitest";
import type { ResultRow, TrainingCurve } from "../../src/records/result.ts";
import { headline } from "../headline/headline.ts";
import {
  agreesWith,
  crossed,
  defineExperiment,
  type Scale,
  SLIGHT,
  SMOKE_FINDING,
  tracks,
  type UnreadResult,
} from "./define.ts";
import { plainName } from "./run.ts";
import { aboveWindow, below, endedEarly, modelsThat, who } from "./words.ts";

test("every choice of one from each list, the last running fastest; none where a list is empty", () => {
  expect(crossed([0, 1], ["a", "b"])).toEqual([
    [0, "a"],
    [0, "b"],
    [1, "a"],
    [1, "b"],
  ]);
  expect(crossed([0, 1], [])).toEqual([]);
});

test("a folder's name tells a minus from a hyphen", () => {
  const names = ["deltanet[-1,1]", "deltanet [-1,1], rate 0.002", "chunk-8", "s3-swaps-4 gla"];
  const plain = ["deltanet-neg1-1", "deltanet-neg1-1-rate-0-002", "chunk-8", "s3-swaps-4-gla"];
  expect(names.map(plainName)).toEqual(plain);
});

const unread = (scale: Scale): UnreadResult => ({
  ...({ version: 2, experiment: "made", question: "", command: "", date: "", report: "" } as const),
  ...{ scale, seeds: [0], device: "cpu", seconds: 0, models: {} },
  ...{ results: [], labels: {}, measurements: [], training: [] },
});

test("claims and findings see what is set at the scale of the result; at smoke scale nothing is found", () => {
  const made = defineExperiment<number>({
    ...{ name: "made", question: "?", about: "?", publishedIn: "A", models: {} },
    settings: { smoke: 1, laptop: 2, paper: 3 },
    published: [{ source: "A", statement: "s", measure: (_, size) => [size] }],
    plan: () => ({ runs: [] }),
    findings: (_, size) => [`found ${size}`],
    report: (result) => headline.report(result),
  });
  const [{ measure, measureErrors }] = made.published;
  expect((["smoke", "paper"] as const).map((scale) => measure?.(unread(scale)))).toEqual([[1], [3]]);
  expect(measureErrors).toBeUndefined();
  expect(made.findings(unread("laptop"))).toEqual(["found 2"]);
  expect(made.findings(unread("smoke"))).toEqual([SMOKE_FINDING]);
});

const row = (model: string, seed: number, accuracy: number): ResultRow => ({
  ...{ setting: "S_3", model, seed, accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] },
  tested: { name: "48/24", change: {}, programs: 1, reveals: 1, asTrained: false, chance: 1 / 3 },
  references: { windowedBayes: { accuracy: 0.5, accuracyLast: 0.5, accuracyByReveal: [0.5] } },
});

test("a row is told where it falls short of a criterion or rises above the window, at its edge not", () => {
  expect(below(row("gru", 2, 0.95), tracks)).toEqual([]);
  expect(below(row("gru", 2, 0.949), tracks)).toEqual([
    "S_3, gru (seed 2) at 48/24: 94.9\u00A0%, below the expected 95 %.",
  ]);
  expect(aboveWindow(row("gru", 2, 0.55), SLIGHT)).toEqual([]);
  expect(aboveWindow(row("gru", 2, 0.56), SLIGHT, { called: "last reveal" })).toEqual([
    "S_3, gru (seed 2) at 48/24, last reveal: 56.0\u00A0%, more than 5 points above the windowed reference 50.0\u00A0%.",
  ]);
  expect([agreesWith(0.5, 0.41), agreesWith(0.5, 0.61)]).toEqual([true, false]);
});

test("models are counted by each row or by their mean, and named with the verb that fits", () => {
  const result = {
    models: {},
    results: [row("gru", 0, 1), row("gru", 1, 0.92), row("lstm", 0, 0.94), row("lstm", 1, 0.94)],
  };
  const asked = ["gru", "lstm", "mamba"];
  expect(modelsThat(result, asked, tracks, {})).toEqual([]);
  expect(modelsThat(result, asked, tracks, {}, { on: "mean" })).toEqual(["gru"]);
  expect(modelsThat(result, asked, tracks, { test: "12/1" })).toEqual([]);
  expect(who([], 2, "tracks", "track")).toBe("No model tracks");
  expect(who(["gru"], 2, "tracks", "track")).toBe("Only gru tracks");
  expect(who(["gru", "lstm"], 2, "tracks", "track")).toBe("gru and lstm track");
});

test("only runs that did not reach the last stage are told", () => {
  const curve = (seed: number, stage: string): TrainingCurve => ({
    ...{ setting: "", model: "gru", seed, parameters: 1, learningRate: 1, steps: 40, seconds: 1 },
    points: [{ step: 40, loss: 1, accuracy: 1, stage }],
  });
  const training = [curve(0, "8"), curve(1, "4")];
  expect(
    endedEarly(
      { training },
      (stage) => stage === "8",
      (stage) => `spacing ${stage}`,
    ),
  ).toEqual(["gru (seed 1): its curriculum ended at spacing 4 after 40 steps."]);
});
