/**
 * @file Histories: what `history` of the Python side answers: every call, line, return and exception of a program, each with
 * all variables of the module and of the calls under way. A debugger moves through one, forwards and backwards.
 *
 *     { "event": "line", "line": 2, "function": "f", "activation": 1, "printed": 0, "names": ["1.n"], "set": { "1.n": "2" } }
 *     { "event": "line", "line": 3, "function": "f", "activation": 1, "printed": 0, "set": { "1.n": "3" } }
 *
 * An activation is one call; 0 is the module. States are differences (trace-states.ts), under keys of activation and name.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { PythonValue } from "./python-value.ts";
import { StateChange } from "./state-diff.ts";
import { Python, RaisedException, SyntaxProblem } from "./trace.ts";

const count = z.int().min(0);

export const HistoryEvent = z.strictObject({
  event: z.enum(["call", "line", "return", "exception"]),
  /** Of the source; 0 before the module's first. The state is that before the line runs. */
  line: count,
  function: z.string(),
  activation: count,
  /** Of a call: a generator or coroutine, which may return and go on. */
  generator: z.literal(true).optional(),
  /** Of a return: an exception ends the call; there is no value. */
  unwinding: z.literal(true).optional(),
  /** Characters of the output so far. */
  printed: count,
  value: PythonValue.optional(),
  exception: RaisedException.optional(),
  /** Only null: a state behind the bound on all of them. */
  state: z.null().optional(),
  ...StateChange,
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;

/** What the text of a statement says; of a compound one, of its head. */
export const Statement = z.strictObject({
  line: z.int().positive(),
  end: z.int().positive(),
  /** Names that it surely binds where it does not raise, each with those that its value is made of. */
  assigns: z.array(z.tuple([z.string(), z.array(z.string())])),
  reads: z.array(z.string()),
  /** Functions that it calls by their name. */
  calls: z.array(z.string()),
  /** Python may visit its line without running it: the last of a `finally` that an exception leaves. */
  unsure: z.literal(true).optional(),
  /** Of a `for`: first and last line of what it repeats. */
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

/** @throws LabError (corrupt) where the value is no such record. */
export function parseHistory(value: unknown, at: string): HistoryRecord {
  const result = HistoryRecord.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const hint = "statelab debug FILE --call ... --save TRACE.json writes one";
  return fail(at, "a history of a run", `${issue.path.join(".")}: ${issue.message}`, hint, "corrupt");
}
