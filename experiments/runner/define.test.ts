import { describe, expect, test } from "vitest";
import type { ResultRow, TrainingCurve } from "../../src/schemas/experiment-result.ts";
import {
  about,
  aboutTraining,
  atLeast,
  atMost,
  type Expectation,
  eachMeets,
  haveLearned,
  near,
  noneAboveWindow,
  trainingChecks,
} from "./checks.ts";
import { crossed, defineExperiment, type Scale, SLIGHT, tracks, type UnreadResult } from "./define.ts";
import { madeResult } from "./made.test-helper.ts";
import { plainName } from "./run.ts";

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
  ...madeResult({ name: "made", models: {} }, []),
  scale,
});

test("claims and checks see what is set at the scale of the result; at smoke scale nothing is checked", () => {
  const made = defineExperiment<number>({
    ...{ name: "made", question: "?", about: "?", publishedIn: "A", models: {} },
    settings: { smoke: 1, laptop: 2, paper: 3 },
    published: [{ source: "A", statement: "s", measure: (_, size) => [size] }],
    plan: () => ({ runs: [] }),
    checks: (_, size) => atMost("n", [size], 3),
    report: () => ({ views: [] }),
  });
  const [{ measure, measureErrors }] = made.published;
  expect((["smoke", "paper"] as const).map((scale) => measure?.(unread(scale)))).toEqual([[1], [3]]);
  expect(measureErrors).toBeUndefined();
  expect(made.checks(unread("laptop"))).toMatchObject([{ values: [2], met: true }]);
  expect(made.checks(unread("smoke"))).toEqual([]);
});

const row = (model: string, seed: number, accuracy: number): ResultRow => ({
  ...{ setting: "S_3", model, seed, accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] },
  tested: { name: "48/24", change: {}, programs: 1, reveals: 1, asTrained: false, chance: 1 / 3 },
  references: { windowedBayes: { accuracy: 0.5, accuracyLast: 0.5, accuracyByReveal: [0.5] } },
});

const result = (results: ResultRow[], training: TrainingCurve[] = []) => ({ models: {}, results, training });

test("a model meets a criterion in every seed or not at all, at its edge too; above the window only by more than the slack", () => {
  const [met] = eachMeets(
    result([row("gru", 0, 0.95), row("gru", 1, 1)]),
    [row("gru", 0, 0.95), row("gru", 1, 1)],
    tracks,
  );
  expect(met).toMatchObject({ name: "S_3, gru at 48/24", met: true, values: [0.95, 1] });
  const short = [row("gru", 0, 0.949), row("gru", 1, 1)];
  expect(eachMeets(result(short), short, tracks)[0].met).toBe(false);
  const metAt = (accuracy: number) => noneAboveWindow(result([]), [row("gru", 2, accuracy)], SLIGHT)[0].met;
  expect([metAt(0.5), metAt(0.54), metAt(0.56)]).toEqual([true, true, false]);
});

test("a model that has not learned its training is named", () => {
  const rows = [row("gru", 0, 0.5)].map((each) => ({ ...each, tested: { ...each.tested, asTrained: true } }));
  expect(trainingChecks(result(rows))).toMatchObject([
    {
      ...{ name: "S_3, gru as trained, 48/24", expected: "fits its training data" },
      ...{ values: [0.5], met: false, unit: "share" },
    },
  ]);
});

test("a number is near another up to the slack; what was not measured is no row", () => {
  expect([0.41, 0.39].map((value) => near("n", [value], 0.5, 0.1)[0].met)).toEqual([true, false]);
  expect([...near("n", [], 0.5, 0.1), ...atLeast("n", [], 0), ...atLeast("n", [Number.NaN], 0)]).toEqual([]);
});

const curve = (model: string, seed: number, reached: number): TrainingCurve => ({
  ...{ setting: "S_3", model, seed, parameters: 1, learningRate: 1, steps: 40, seconds: 1 },
  ...{ points: [], stages: { reached, of: 3 } },
});

test("only curricula that did not reach their last stage are named", () => {
  expect(trainingChecks(result([], [curve("gru", 0, 3), curve("gru", 1, 3)]))).toEqual([]);
  expect(trainingChecks(result([], [curve("gru", 0, 3), curve("gru", 1, 2)]))).toMatchObject([
    { values: [3, 2], met: false },
  ]);
});

describe("an expectation about a model that did not finish its training", () => {
  const read = (
    results: ResultRow[],
    training: TrainingCurve[],
    expect: (of: UnreadResult) => Expectation[],
  ) => {
    const { checks } = defineExperiment<number>({
      ...{ name: "made", question: "?", about: "?", publishedIn: "A", models: {} },
      settings: { smoke: 1, laptop: 2, paper: 3 },
      published: [],
      plan: () => ({ runs: [] }),
      checks: expect,
      report: () => ({ views: [] }),
    });
    return checks({ ...unread("laptop"), results, training }).map(({ name, met }) => [name, met]);
  };
  const reason = ["S_3, gru: stage of its curriculum", false];
  test("is inconclusive, met or not, with the reason below; one about another model is not", () => {
    const curves = [curve("gru", 0, 2), curve("lstm", 0, 3)];
    for (const accuracy of [0.5, 0.9])
      expect(
        read([row("gru", 0, accuracy), row("lstm", 0, 0.5)], curves, (of) =>
          noneAboveWindow(of, of.results, SLIGHT),
        ),
      ).toEqual([
        ["S_3, gru at 48/24, above the windowed filter", "inconclusive"],
        reason,
        ["S_3, lstm at 48/24, above the windowed filter", true],
      ]);
  });

  test("is about all models where it names none, and about its own setting alone", () => {
    const named = (...expectations: Expectation[]) => read([], [curve("gru", 0, 2)], () => expectations);
    const [plain] = atMost("n", [1], 2);
    expect(named(plain)).toEqual([["n", "inconclusive"], reason]);
    expect(named(...about(["gru"], [plain], "S_5"))).toEqual([["n", true], reason]);
    expect(named(...about(["lstm"], [plain]))).toEqual([["n", true], reason]);
    expect(named(...aboutTraining(plain))).toEqual([["n", true], reason]);
  });

  test("stays not met where the seeds that finished show it", () => {
    const curves = [curve("gru", 0, 3), curve("gru", 1, 2)];
    const each = (seeds: ResultRow[]) => read(seeds, curves, (of) => eachMeets(of, of.results, tracks));
    expect(each([row("gru", 0, 0.5), row("gru", 1, 1)])[0][1]).toBe(false);
    expect(each([row("gru", 0, 1), row("gru", 1, 0.5)])[0][1]).toBe("inconclusive");
    expect(each([row("gru", 0, 1), row("gru", 1, 1)])[0][1]).toBe("inconclusive");
  });

  test("the same where the experiment says itself which of its trainings were learned", () => {
    const run = { setting: "", model: "gru", seed: 0 };
    const rows = (value: number) =>
      read([], [], () => [
        ...about(["gru"], atMost("lost", [0.01], SLIGHT)),
        ...haveLearned("as trained", [{ ...run, value }], 0.95),
      ]);
    expect([rows(0.94), rows(0.95)]).toEqual([
      [
        ["lost", "inconclusive"],
        ["as trained", false],
      ],
      [
        ["lost", true],
        ["as trained", true],
      ],
    ]);
  });
});
