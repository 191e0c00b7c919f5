/**
 * @file What a set of traces looks like: the distribution of their lengths and of the sizes of their states.
 *
 *     describeTraces(records).steps     { mean: 6.7, median: 5, maximum: 86, histogram: [{ from: 0, to: 4, count: 352 }, ...] }
 */

import type { TraceRecord } from "../../schemas/trace.ts";
import { stateCharacters } from "./filters.ts";

export interface Distribution {
  readonly mean: number;
  readonly median: number;
  readonly maximum: number;
  /** Equal ranges, both ends included, from 0 on; the last has no end. */
  readonly histogram: readonly {
    readonly from: number;
    readonly to: number | null;
    readonly count: number;
  }[];
}

export interface TraceStatistics {
  readonly traces: number;
  readonly steps: Distribution;
  readonly codeCharacters: Distribution;
  readonly stateCharacters: Distribution;
  /** Variables that exist after the last line. */
  readonly variables: Distribution;
}

export function describeTraces(records: readonly TraceRecord[]): TraceStatistics {
  const of = (measure: (record: TraceRecord) => number, width: number, bins: number) =>
    distribution(records.map(measure), width, bins);
  return {
    traces: records.length,
    steps: of(({ steps }) => steps, 5, 12),
    codeCharacters: of(({ code }) => code.length, 100, 12),
    stateCharacters: of(stateCharacters, 1_000, 13),
    variables: of(({ lines }) => Object.keys(lines.at(-1)?.state ?? {}).length, 1, 12),
  };
}

export function distribution(values: readonly number[], width: number, bins: number): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  const binOf = (value: number) => Math.min(bins - 1, Math.floor(value / width));
  const histogram = Array.from({ length: bins }, (_, bin) => ({
    from: bin * width,
    to: bin === bins - 1 ? null : (bin + 1) * width - 1,
    count: values.filter((value) => binOf(value) === bin).length,
  }));
  if (values.length === 0) return { mean: 0, median: 0, maximum: 0, histogram };
  const sum = values.reduce((total, value) => total + value, 0);
  return { mean: sum / values.length, median, maximum: sorted.at(-1)!, histogram }; // not empty
}
