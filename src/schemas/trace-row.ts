/** @file The rows of a traced benchmark: a trace, and which call of which program it is. */

import { z } from "zod";
import { TraceRecord } from "./trace.ts";

export const TracedRow = z.strictObject({
  id: z.string(),
  /** The row of the benchmark: one function. */
  program: z.string(),
  /** What the benchmark says that the call gives, as Python text. */
  expected: z.string(),
  /** The call gives another value than `expected`. */
  differs: z.literal(true).optional(),
  trace: TraceRecord,
});
export type TracedRow = z.infer<typeof TracedRow>;

/** One line of the log from which an interrupted tracing goes on. */
export const TracedLogLine = z.union([
  /** The first line: what is traced and how; another one begins anew. */
  z.strictObject({ key: z.string() }),
  z.strictObject({ id: z.string(), record: TraceRecord, differs: z.literal(true).optional() }),
  z.strictObject({ id: z.string(), stopped: z.string() }),
]);
export type TracedLogLine = z.infer<typeof TracedLogLine>;
