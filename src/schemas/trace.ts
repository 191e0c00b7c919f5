/**
 * @file Traces, returned by `trace` and `lines` of the Python side, and the rows of a traced benchmark. One JSON object each.
 *
 *     def f(n): return n + 1, called as f(2), is
 *     { "code": "n = 2\nassert (n + 1) == 3\n", "lines": [{ "code": "n = 2", "line": 1, "state": { "n": 2 } }, ...], "result": 3, ... }
 *
 * python-value.ts defines the encoding of Python values.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { PythonValue, State } from "./python-value.ts";
import { ChangedStates, StateChange, wholeCharacters } from "./state-diff.ts";

export { isPythonValue, PythonValue, State } from "./python-value.ts";

/** Inputs of a program from its environment: the trace is valid only if they are equal. */
export const Environment = z.strictObject({
  /** The clock at the start. */
  clock: z.string().optional(),
  /** `random.seed(seed)` was inserted before a program that draws without a seed. */
  seed: z.number().optional(),
  /** The randomness of the system, replaced by a fixed sequence. */
  entropy: z.literal("pinned").optional(),
  /** Environment variables; null: not set. */
  variables: z.record(z.string(), z.string().nullable()).optional(),
  /** It depends on the word size, and so on sizes and hashes. */
  wordBits: z.union([z.literal(32), z.literal(64)]).optional(),
  /** PYTHONHASHSEED: the order of a set, or a hash, depends on it. */
  hashSeed: z.number().optional(),
  /** The C library of its float functions, if it differs from the usual one of CPython: the last digit may differ. */
  libm: z.literal("musl").optional(),
  /** Content at a path that the program did not create; null: nothing. */
  files: z.record(z.string(), z.enum(["file", "folder"]).nullable()).optional(),
  /** The working folder. */
  folder: z.string().optional(),
  /** It read a local time. */
  timeZone: z.literal("UTC").optional(),
  /** Finalizers or weak references are in cycles, which were not collected during the run. */
  collector: z.literal("off").optional(),
  /** Of machine, platform and interpreter: `sys.version`, `os.getpid`. */
  machine: z.array(z.string()).optional(),
  /** Path of the program, on which its values depend. */
  file: z.string().optional(),
  /** It depends on memory addresses: `id`, the text of an object, the order of a set of objects. */
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

/** A syntax error as reported by the interpreter. */
export const SyntaxProblem = z.strictObject({
  /** SyntaxError, IndentationError or TabError. */
  type: z.string(),
  message: z.string(),
  in: z.enum(["program", "call"]),
  /** `text` is the line. Columns count its characters from 1; the end is exclusive. */
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
  /** One statement, usually one line of text; a definition that is still called has several. */
  code: z.string(),
  /** Its line in the source. */
  line: z.int().positive().nullable(),
  /** Whether it was added by the tracer: binds arguments, stores a value, cleans up. */
  helper: z.boolean(),
  role: z.enum(["step", "definition", "arguments", "assert"]),
  state: State.nullable().optional(),
  /** Instead of `state`: the difference from the previous line. */
  ...StateChange,
});
type WrittenLine = z.infer<typeof WrittenLine>;

export interface TraceLine extends Pick<WrittenLine, "code" | "line" | "helper" | "role"> {
  /** After the line: variables of the module, then of the active calls. Null beyond the total bound. */
  readonly state: State | null;
}

const asWritten = new WeakMap<readonly TraceLine[], readonly WrittenLine[]>();

/** Lines with their states, computed on demand from differences. */
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

/** Longer states in total are written as differences. */
const WHOLE_STATES = 1_000_000;

/** The record as written to a file: with whole states, or differences if they would be very long. */
export function recordForFile(record: TraceRecord): object {
  const written = asWritten.get(record.lines);
  if (written === undefined || wholeCharacters(written) <= WHOLE_STATES) return record;
  return { ...record, lines: written };
}

export const TraceRecord = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  /** The traced call, `f([1, 2])`, or an expression that contains it. */
  call: z.string(),
  /** The text of standard input that all runs read, and `sys.argv` after the program's name. */
  stdin: z.string().optional(),
  /** Texts of the user's modules, by path beside the program. */
  modules: z.record(z.string(), z.string()).optional(),
  argv: z.array(z.string()).optional(),
  /** The trace as a standalone program. */
  code: z.string(),
  lines: z.array(WrittenLine).transform(withStates),
  result: PythonValue,
  /** The result as a Python literal; null without a result. */
  literal: z.string().nullable(),
  /** Without a literal result, what the last line asserts: the data of a subclass of a built-in, a repr, fields (of each object of a list), the list of values, or the name. */
  compared: z.enum(["data", "repr", "fields", "each", "list", "name"]).optional(),
  /** Output of the program, up to 100,000 characters. */
  output: z.string().optional(),
  /** Functions whose calls are not expanded into lines, with counts and reasons. */
  kept: z.array(KeptCalls).optional(),
  /** Lines without the arguments and the assert. */
  steps: z.int().min(0),
  /** Whether `code` reproduced every state and the result of the program. */
  proven: z.boolean(),
  python: Python,
  /** Whether a bound cut any state. */
  truncated: z.boolean(),
  /** Why and on which line the trace ends early. */
  reason: z.string().nullable(),
  /** Present if program or call cannot be parsed. */
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

const LineEvent = z.strictObject({
  event: z.enum(["call", "line", "return", "exception"]),
  /** Of the source; 0 before the module's first. */
  line: z.int().min(0),
  function: z.string(),
  depth: z.int().min(0),
  /** The variables of the function, before the line runs. */
  state: State,
  value: PythonValue.optional(),
  /** For a return: the call ended with an exception and has no value. */
  unwinding: z.literal(true).optional(),
  exception: RaisedException.optional(),
});

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

/** @throws LabError (corrupt) for any other value. */
export function parseTrace(value: unknown, at: string): TraceRecord {
  return parseChecked(TraceRecord, value, at, "a trace record");
}

/** @throws LabError (corrupt) for any other value. */
export function parseLineTrace(value: unknown, at: string): LineRecord {
  return parseChecked(LineRecord, value, at, "a line trace");
}

/** @throws LabError (corrupt) naming `what` and the first place that is wrong. */
export function parseChecked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: string,
  what: string,
  hint?: string,
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  return fail(at, what, `${issue.path.join(".")}: ${issue.message}`, hint, "corrupt");
}

export const TracedRow = z.strictObject({
  id: z.string(),
  /** The row of the benchmark: one function. */
  program: z.string(),
  /** Expected result of the benchmark, as Python text. */
  expected: z.string(),
  /** The result differs from `expected`. */
  differs: z.literal(true).optional(),
  trace: TraceRecord,
});
export type TracedRow = z.infer<typeof TracedRow>;

/** A line of the log from which an interrupted tracing resumes. */
export const TracedLogLine = z.union([
  /** The first line: the request; a different one starts over. */
  z.strictObject({ key: z.string() }),
  z.strictObject({ id: z.string(), record: TraceRecord, differs: z.literal(true).optional() }),
  z.strictObject({ id: z.string(), stopped: z.string() }),
]);
export type TracedLogLine = z.infer<typeof TracedLogLine>;
