/**
 * @file Filters of benchmarks, and statistics of the traces that pass: lengths and sizes of states.
 *
 *     excludedBy(record, publishedFilters.mbpp)     "the trace has 51 steps, 50 are taken"
 *     describeTraces(records).steps     { mean: 6.7, median: 5, maximum: 86, histogram: [{ from: 0, to: 4, count: 352 }, ...] }
 *
 * The published rule: at most 50 steps; for MBPP also at most 12,000 characters of states and 1,000 of code.
 */

import { mean, median } from "../../core/statistics.ts";
import type { TraceRecord } from "../../schemas/trace.ts";
import { stateText } from "./render.ts";

export interface TraceFilter {
  readonly steps?: number;
  readonly codeCharacters?: number;
  readonly stateCharacters?: number;
}

export const publishedFilters = {
  cruxeval: { steps: 50 },
  mbpp: { steps: 50, codeCharacters: 1_000, stateCharacters: 12_000 },
} as const satisfies Record<string, TraceFilter>;

/** Why a benchmark excludes the trace; undefined if it does not. Unproven traces are always excluded. */
export function excludedBy(record: TraceRecord, filter: TraceFilter): string | undefined {
  if (record.reason !== null) return record.reason;
  if (!record.proven) return "the trace is not verified";
  const over = (what: string, size: () => number, limit: number | undefined) =>
    limit !== undefined && size() > limit
      ? `the ${what.replace("N", String(size()))}, ${limit} are taken`
      : undefined;
  return (
    over("trace has N steps", () => record.steps, filter.steps) ??
    over("code has N characters", () => record.code.length, filter.codeCharacters) ??
    over("states have N characters", () => stateCharacters(record), filter.stateCharacters)
  );
}

/** The length of all states, each as one line. */
export function stateCharacters(record: TraceRecord): number {
  return record.lines.reduce((sum, { state }) => sum + stateText(state).length + 1, 0);
}

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
  const binOf = (value: number) => Math.min(bins - 1, Math.floor(value / width));
  const histogram = Array.from({ length: bins }, (_, bin) => ({
    from: bin * width,
    to: bin === bins - 1 ? null : (bin + 1) * width - 1,
    count: values.filter((value) => binOf(value) === bin).length,
  }));
  if (values.length === 0) return { mean: 0, median: 0, maximum: 0, histogram };
  const maximum = values.reduce((most, value) => Math.max(most, value), 0);
  return { mean: mean(values), median: median(values), maximum, histogram };
}
