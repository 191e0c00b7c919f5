/**
 * @file Histories, returned by `history` of the Python side: every call, line, return and exception of a program, with all variables of
 * the module and of the active calls. A debugger moves through one, forward and backward.
 *
 *     { "event": "line", "line": 2, "function": "f", "activation": 1, "printed": 0, "names": ["1.n"], "set": { "1.n": "2" } }
 *     { "event": "line", "line": 3, "function": "f", "activation": 1, "printed": 0, "set": { "1.n": "3" } }
 *
 * An activation is one call; 0 is the module. States are differences (state-diff.ts), with keys of activation and name.
 */

import { z } from "zod";
import { PythonValue } from "./python-value.ts";
import { StateChange } from "./state-diff.ts";
import { Python, parseChecked, RaisedException, SyntaxProblem } from "./trace.ts";

const count = z.int().min(0);

export const HistoryEvent = z.strictObject({
  event: z.enum(["call", "line", "return", "exception"]),
  /** Of the source; 0 before the module's first. The state is that before the line runs. */
  line: count,
  function: z.string(),
  activation: count,
  /** For a call: a generator or coroutine, which may be suspended and resumed. */
  generator: z.literal(true).optional(),
  /** For a return: the call ended with an exception and has no value. */
  unwinding: z.literal(true).optional(),
  /** Characters of the output so far. */
  printed: count,
  value: PythonValue.optional(),
  exception: RaisedException.optional(),
  /** Only null: the state is beyond the total bound. */
  state: z.null().optional(),
  ...StateChange,
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;

/** Facts from the text of a statement, or of the head of a compound one. */
export const Statement = z.strictObject({
  line: z.int().positive(),
  end: z.int().positive(),
  /** Names that it always binds unless it raises, each with the names of its value. */
  assigns: z.array(z.tuple([z.string(), z.array(z.string())])),
  reads: z.array(z.string()),
  /** Functions that it calls by their name. */
  calls: z.array(z.string()),
  /** Python may visit its line without running it: the last of a `finally` that an exception leaves. */
  unsure: z.literal(true).optional(),
  /** For a `for`: first and last line of its body. */
  body: z.tuple([z.int().positive(), z.int().positive()]).optional(),
});
export type Statement = z.infer<typeof Statement>;

export const HistoryRecord = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  call: z.string(),
  events: z.array(HistoryEvent),
  /** The first event of the call; before it the module was run. */
  began: count,
  statements: z.array(Statement),
  result: PythonValue,
  output: z.string(),
  python: Python,
  truncated: z.boolean(),
  /** Why it ends without a result: an exception, a bound. */
  reason: z.string().nullable(),
  syntax: SyntaxProblem.optional(),
});
export type HistoryRecord = z.infer<typeof HistoryRecord>;

/** @throws LabError (corrupt) for any other value. */
export function parseHistory(value: unknown, at: string): HistoryRecord {
  const hint = "Create one with statelab debug FILE --save TRACE.json";
  return parseChecked(HistoryRecord, value, at, "a history of a run", hint);
}
