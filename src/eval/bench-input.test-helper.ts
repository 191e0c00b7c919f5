/** @file What a benchmark is prepared and judged with, for tests. */

import type { Execute } from "./execute.ts";
import type { BenchInput } from "./question.ts";

export const benchInput = <Row = never>(more: Partial<BenchInput<Row>> = {}): BenchInput<Row> => ({
  ...{ arms: ["function"], predict: ["output"], style: "direct", scoring: "strict" },
  ...{ seed: 3, rows: [], traces: null, ...more },
});

/** For answers that are judged without a run. */
export const nothing: Execute = () => Promise.reject(new Error("nothing is to be run"));
