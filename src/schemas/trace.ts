/**
 * @file Traces: what `trace` and `lines` of the Python side answer, and the rows of a traced benchmark. One JSON object each.
 *
 *     def f(n): return n + 1, called as f(2), is
 *     { "code": "n = 2\nassert (n + 1) == 3\n", "lines": [{ "code": "n = 2", "line": 1, "state": { "n": 2 } }, ...], "result": 3, ... }
 *
 * python-value.ts says how values of Python are written.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { PythonValue, State } from "./python-value.ts";
import { ChangedStates, StateChange, wholeCharacters } from "./state-diff.ts";

export { isPythonValue, PythonValue, State } from "./python-value.ts";

/** What a program read of the world around it: the trace holds where that is the same. */
export const Environment = z.strictObject({
  /** Where the clock stood when it began. */
  clock: z.string().optional(),
  /** `random.seed(seed)` stands before the program, which draws without one. */
  seed: z.number().optional(),
  /** The system's randomness, as a fixed sequence. */
  entropy: z.literal("pinned").optional(),
  /** Environment variables; null: not set. */
  variables: z.record(z.string(), z.string().nullable()).optional(),
  /** It depends on how long words, and so sizes and hashes, are. */
  wordBits: z.union([z.literal(32), z.literal(64)]).optional(),
  /** PYTHONHASHSEED: the order of a set, or a hash, depends on it. */
  hashSeed: z.number().optional(),
  /** The C library that its floats came from, where it is not the one that CPython mostly has: the last digit may be another. */
  libm: z.literal("musl").optional(),
  /** What was found under a path that the program did not make; null: nothing. */
  files: z.record(z.string(), z.enum(["file", "folder"]).nullable()).optional(),
  /** The working folder. */
  folder: z.string().optional(),
  /** A local time was asked for. */
  timeZone: z.literal("UTC").optional(),
  /** Finalizers or weak references wait in cycles, which were not collected while the program ran. */
  collector: z.literal("off").optional(),
  /** Of machine, platform and interpreter: `sys.version`, `os.getpid`. */
  machine: z.array(z.string()).optional(),
  /** Where the program's file lay: another path gives other values. */
  file: z.string().optional(),
  /** `id`, the text of an object, the order of a set of objects: where objects lie in memory. */
  addresses: z.literal(true).optional(),
  threads: z.literal(true).optional(),
  processes: z.literal(true).optional(),
});
export type Environment = z.infer<typeof Environment>;

export const Python = z.strictObject({
  version: z.string(),
  wordBits: z.union([z.literal(32), z.literal(64)]),
  /** PYTHONHASHSEED. */
  hashSeed: z.number().optional(),
});

/** Where a text is no Python, in the interpreter's own words. */
export const SyntaxProblem = z.strictObject({
  /** SyntaxError, IndentationError or TabError. */
  type: z.string(),
  message: z.string(),
  in: z.enum(["program", "call"]),
  /** `text` is the line. Columns count its characters from 1; the end is the first that is no longer meant. */
  place: z
    .strictObject({
      line: z.int().positive(),
      column: z.int().positive(),
      endLine: z.int().positive(),
      endColumn: z.int().min(0),
      text: z.string(),
    })
    .nullable(),
});
export type SyntaxProblem = z.infer<typeof SyntaxProblem>;

const KeptCalls = z.strictObject({
  function: z.string(),
  why: z.enum(["coroutine", "generator", "decorator", "expression"]),
  calls: z.int().positive(),
});

const WrittenLine = z.strictObject({
  /** One statement. Most are one line of text; a definition that is still called has several. */
  code: z.string(),
  /** The line of the source that it comes from. */
  line: z.int().positive().nullable(),
  /** Whether it only serves the trace: it binds arguments, holds a value, cleans up. */
  helper: z.boolean(),
  role: z.enum(["step", "definition", "arguments", "assert"]),
  state: State.nullable().optional(),
  /** In the place of `state`: what is different from the line before. */
  ...StateChange,
});
type WrittenLine = z.infer<typeof WrittenLine>;

export interface TraceLine extends Pick<WrittenLine, "code" | "line" | "helper" | "role"> {
  /** After the line: the module's variables, then those of the calls that are under way. Null beyond the bound on all states. */
  readonly state: State | null;
}

const asWritten = new WeakMap<readonly TraceLine[], readonly WrittenLine[]>();

/** Lines with their states, which of differences are made when they are asked for. */
function withStates(written: WrittenLine[]): TraceLine[] {
  if (written.every(isWhole)) return written;
  const states = new ChangedStates(written);
  const lines = written.map(({ code, line, helper, role }, i) => ({
    ...{ code, line, helper, role },
    get state() {
      return states.after(i);
    },
  }));
  asWritten.set(lines, written);
  return lines;
}

function isWhole(line: WrittenLine): line is WrittenLine & { state: State | null } {
  return line.state !== undefined;
}

/** States of more characters together are written as differences. */
export const WHOLE_STATES = 1_000_000;

/** The record as it is put into a file: its states are whole, or differences where they would be very long. */
export function recordForFile(record: TraceRecord): object {
  const written = asWritten.get(record.lines);
  if (written === undefined || wholeCharacters(written) <= WHOLE_STATES) return record;
  return { ...record, lines: written };
}

export const TraceRecord = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  /** The call that was traced, `f([1, 2])`, or an expression around it. */
  call: z.string(),
  /** The trace as a program that runs by itself. */
  code: z.string(),
  lines: z.array(WrittenLine).transform(withStates),
  result: PythonValue,
  /** The result as a Python literal; null without a result. */
  literal: z.string().nullable(),
  /** Where the result has no literal, what the last line asserts of it: the data of a class that extends a plain one, its repr, its fields (of each object of a list), the list of its values, its name. */
  compared: z.enum(["data", "repr", "fields", "each", "list", "name"]).optional(),
  /** What the program printed, as far as 100,000 characters. */
  output: z.string().optional(),
  /** Functions of which calls stay calls, so that their lines are not written out: how many, and why. */
  kept: z.array(KeptCalls).optional(),
  /** Lines without the arguments and the assert. */
  steps: z.int().min(0),
  /** Whether running `code` gave every state and the result of the program itself. */
  proven: z.boolean(),
  python: Python,
  /** Whether a bound cut any state. */
  truncated: z.boolean(),
  /** Why the trace stops short: what, and on which line. */
  reason: z.string().nullable(),
  /** Where program or call cannot be parsed. */
  syntax: SyntaxProblem.optional(),
  environment: Environment.optional(),
});
export type TraceRecord = z.infer<typeof TraceRecord>;

export const RaisedException = z.strictObject({
  type: z.string(),
  message: z.string(),
  /** What it was made of, a tuple. */
  arguments: PythonValue.optional(),
});

export const LineEvent = z.strictObject({
  event: z.enum(["call", "line", "return", "exception"]),
  /** Of the source; 0 before the module's first. */
  line: z.int().min(0),
  function: z.string(),
  depth: z.int().min(0),
  /** The variables of the function, before the line runs. */
  state: State,
  value: PythonValue.optional(),
  /** Of a return: an exception ends the call; there is no value. */
  unwinding: z.literal(true).optional(),
  exception: RaisedException.optional(),
});
export type LineEvent = z.infer<typeof LineEvent>;

export const LineRecord = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  call: z.string(),
  events: z.array(LineEvent),
  result: PythonValue,
  output: z.string(),
  python: Python,
  truncated: z.boolean(),
  reason: z.string().nullable(),
  syntax: SyntaxProblem.optional(),
});
export type LineRecord = z.infer<typeof LineRecord>;

/** @throws LabError (corrupt) where the value is no such record. */
export function parseTrace(value: unknown, at: string): TraceRecord {
  return parsed(TraceRecord, value, at, "a trace record");
}

/** @throws LabError (corrupt) where the value is no such record. */
export function parseLineTrace(value: unknown, at: string): LineRecord {
  return parsed(LineRecord, value, at, "a line trace");
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, at: string, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  return fail(at, what, `${issue.path.join(".")}: ${issue.message}`, undefined, "corrupt");
}
