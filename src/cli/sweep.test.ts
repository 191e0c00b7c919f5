import { expect, test } from "vitest";
import type { SweepRecord } from "../app/sweep/run.ts";
import { planTable, sweepTable } from "./sweep.ts";

type SweepRow = SweepRecord["table"][number];

const row = (setting: string, seeds: number, mean: number, interval?: [number, number]): SweepRow => ({
  ...{ setting, change: { spacing: 4 }, seeds: Array.from({ length: seeds }, (_, i) => i) },
  references: { exactBayes: seeds === 0 ? Number.NaN : 1 },
  ...{ accuracy: { mean, interval }, accuracyLast: { mean: mean / 2, interval: interval && [0, 1] } },
});

test("the table of a sweep shows mean and interval in points of a hundred, one value without, none as a dash", () => {
  const table = [row("a", 2, 0.5, [0.25, 0.75]), row("c", 1, 0.25), row("", 0, Number.NaN)];
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
