/** @file Results that no run came to, for tests of what an experiment concludes from them. */

import type { Measurement, ResultRow } from "../../src/schemas/experiment-result.ts";
import type { Experiment } from "./define.ts";
import type { UnreadResult } from "./result.ts";

/** One model in one setting, whose reveals are all right with this share in this test. */
export const madeRow = (
  run: { readonly setting?: string; readonly model: string; readonly seed?: number },
  tested: Partial<ResultRow["tested"]>,
  accuracy: number,
): ResultRow => ({
  ...{ setting: "", seed: 0, references: {}, ...run },
  tested: { ...{ name: "", change: {}, asTrained: true, chance: 1 / 2, programs: 1, reveals: 1 }, ...tested },
  ...{ accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] },
});

export const madeResult = (
  { name: experiment, models }: Pick<Experiment, "name" | "models">,
  results: ResultRow[],
  measurements: Measurement[] = [],
): UnreadResult => ({
  ...{ version: 2, experiment, question: "", command: "", date: "2026-01-01", report: "" },
  ...{ scale: "laptop", device: "cpu", seconds: 0, window: 24, models },
  seeds: [...new Set([...results, ...measurements].map(({ seed }) => seed))],
  ...{ results, measurements, labels: {}, training: [] },
});
