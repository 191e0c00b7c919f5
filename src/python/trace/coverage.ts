/**
 * @file Coverage of a benchmark by traces: attempted and proven traces, and the reason for each failure.
 *
 *     functions   rows with at least one call that is accepted            samples   accepted calls
 */

import type { TraceRecord } from "../../schemas/trace.ts";
import type { BenchmarkRow } from "../benchmarks/index.ts";
import { pythonLiteral } from "../values/repr.ts";
import { describeTraces, excludedBy, type TraceFilter, type TraceStatistics } from "./filters.ts";

/** The outcome of one call: its record and whether the result differs from the expected value, or why the host failed. */
export type Traced =
  | { readonly record: TraceRecord; readonly differs?: true | undefined }
  | { readonly stopped: string };

export interface Coverage {
  /** Rows of the benchmark: one function each. */
  readonly programs: number;
  readonly calls: number;
  /** Calls unrolled to their end. */
  readonly traced: number;
  /** Accepted traces that, run as programs, reproduced every state and the result. */
  readonly proven: number;
  readonly functions: number;
  readonly samples: number;
  readonly excluded: readonly { readonly id: string; readonly reason: string }[];
  /** Proven traces whose call gives another value than the row expects. */
  readonly differing: readonly { readonly id: string; readonly expected: string; readonly result: string }[];
  /** The same by reason, without lines and names; the most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  /** Over the accepted traces. */
  readonly statistics: TraceStatistics;
}

/** `traced` by the id of the call; a call that is not in it was not tried and counts as excluded. */
export function measureCoverage(
  rows: readonly BenchmarkRow[],
  traced: ReadonlyMap<string, Traced>,
  filter: TraceFilter,
): Coverage {
  const calls = rows.flatMap((row) => row.calls);
  const judged = calls.map(({ id, program }) => {
    const outcome = traced.get(id) ?? { stopped: "not tried" };
    const record = "record" in outcome ? outcome.record : undefined;
    const reason = "record" in outcome ? excludedBy(outcome.record, filter) : outcome.stopped;
    return { id, program, record, reason };
  });
  const differing = calls.flatMap(({ id, expected }) => {
    const outcome = traced.get(id);
    if (outcome === undefined || !("record" in outcome) || outcome.differs !== true) return [];
    return [{ id, expected, result: outcome.record.literal ?? pythonLiteral(outcome.record.result) }];
  });
  const accepted = judged.flatMap(({ record, reason, program }) =>
    record !== undefined && reason === undefined ? [{ record, program }] : [],
  );
  const complete = judged.flatMap(({ record }) =>
    record !== undefined && record.reason === null ? [record] : [],
  );
  const excluded = [
    ...rows.flatMap(({ unreadable }) => unreadable),
    ...judged.flatMap(({ id, reason }) => (reason === undefined ? [] : [{ id, reason }])),
  ];
  return {
    programs: rows.length,
    calls: calls.length,
    traced: complete.length,
    proven: complete.filter(({ proven }) => proven).length,
    functions: new Set(accepted.map(({ program }) => program)).size,
    samples: accepted.length,
    excluded,
    differing,
    reasons: byReason(excluded),
    statistics: describeTraces(accepted.map(({ record }) => record)),
  };
}

function byReason(excluded: Coverage["excluded"]): Coverage["reasons"] {
  const counts = new Map<string, number>();
  for (const { reason } of excluded) {
    const kind = reason.replace(/, line \d+/g, "").split(": ")[0];
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, count })).toSorted((a, b) => b.count - a.count);
}
