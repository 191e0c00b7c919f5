/**
 * @file Which traces a benchmark takes. The published rule: at most 50 steps; for MBPP also at most 12,000 characters of
 * states and 1,000 of code.
 *
 *     excludedBy(record, publishedFilters.mbpp)     "the trace has 51 steps, 50 are taken"
 */

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

/** Why a benchmark leaves the trace out; undefined where it takes it. A trace that is not proven is never taken. */
export function excludedBy(record: TraceRecord, filter: TraceFilter): string | undefined {
  if (record.reason !== null) return record.reason;
  if (!record.proven) return "the trace is not proven";
  const over = (what: string, count: number, limit: number | undefined) =>
    limit !== undefined && count > limit ? `the ${what}, ${limit} are taken` : undefined;
  return (
    over(`trace has ${record.steps} steps`, record.steps, filter.steps) ??
    over(`code has ${record.code.length} characters`, record.code.length, filter.codeCharacters) ??
    (filter.stateCharacters === undefined ? undefined : overStates(record, filter.stateCharacters, over))
  );
}

function overStates(
  record: TraceRecord,
  limit: number,
  over: (what: string, count: number, limit: number) => string | undefined,
): string | undefined {
  const characters = stateCharacters(record);
  return over(`states have ${characters} characters`, characters, limit);
}

/** The length of all states, each as one line. */
export function stateCharacters(record: TraceRecord): number {
  return record.lines.reduce((sum, { state }) => sum + stateText(state).length + 1, 0);
}
