import { expect, test } from "vitest";
import type { SweepRecord } from "../app/sweep/run.ts";
import { planTable, sweepTable } from "./sweep.ts";

type SweepRow = SweepRecord["table"][number];

const row = (setting: string, seeds: number, own: Pick<SweepRow, "accuracy" | "accuracyLast">): SweepRow => ({
  ...{ setting, change: { spacing: 4 }, seeds: Array.from({ length: seeds }, (_, i) => i) },
  references: { exactBayes: seeds === 0 ? Number.NaN : 1 },
  ...own,
});

test("the table of a sweep shows mean and interval in points of a hundred, one value without, none as a dash", () => {
  const table = [
    row("a", 2, {
      accuracy: { mean: 0.5, interval: [0.25, 0.75] },
      accuracyLast: { mean: 0.25, interval: [0, 1] },
    }),
    row("c", 1, {
      accuracy: { mean: 0.25, interval: undefined },
      accuracyLast: { mean: 0.125, interval: undefined },
    }),
    row("", 0, {
      accuracy: { mean: Number.NaN, interval: undefined },
      accuracyLast: { mean: Number.NaN, interval: undefined },
    }),
  ];
  expect(sweepTable({ version: 1, runs: [], table })).toEqual({
    columns: ["setting", "test", "seeds", "all reveals", "last reveal", "exact Bayes"],
    rows: [
      ["a", "spacing 4", 2, "50.0 % [25.0, 75.0]", "25.0 % [0.0, 100.0]", "100.0 %"],
      ["c", "spacing 4", 1, "25.0 %", "12.5 %", "100.0 %"],
      ["all", "spacing 4", 0, "–", "–", "–"],
    ],
  });
});

test("a plan says where each run goes on", () => {
  const plan = { folder: "x", steps: 1000, finished: false };
  const table = planTable([
    { ...plan, done: 200 },
    { ...plan, done: 0 },
    { ...plan, done: 1000, finished: true },
  ]);
  expect(table.rows).toEqual([
    ["x", "1,000", "continues from step 200"],
    ["x", "1,000", "new"],
    ["x", "1,000", "finished"],
  ]);
});
