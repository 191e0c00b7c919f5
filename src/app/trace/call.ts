/**
 * @file One call of a Python function, for `statelab trace` and `statelab debug`.
 *
 *     await traceCall({ source: "def f(x):\n    return x + 1\n", call: "f(1)" })     { source, call, lines, result, proven, ... }
 *     await recordHistory({ source, call })                                          { events, began, statements, ... }
 */

import { fail } from "../../core/error.ts";
import { duration } from "../../core/format.ts";
import type { HostName, PythonHost } from "../../python/sandbox/host.ts";
import { longestWithin, unwrapAnswer, withHost } from "../../python/sandbox/open.ts";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";
import { type LineRecord, parseLineTrace, parseTrace, type TraceRecord } from "../../schemas/trace.ts";

interface CallOptions {
  readonly source: string;
  readonly call: string;
  /** The name of the program's file, as it sees it; main.py by default. */
  readonly file?: string;
  /** Steps, or events of a history, after which the program is stopped. */
  readonly maximumSteps?: number;
  readonly host?: HostName | PythonHost;
  readonly wallSeconds?: number;
  readonly signal?: AbortSignal;
  /** `sys.argv` after the program's name. */
  readonly argv?: readonly string[];
  /** The text that the program reads from standard input. Without it a trace that reads is refused; a history reads none. */
  readonly stdin?: string;
  /** The texts of modules beside the program, by path: `shapes/square.py`. */
  readonly modules?: Readonly<Record<string, string>>;
}

/** What a request says of the program. */
const programIn = ({ source, call, file, argv, stdin, modules }: CallOptions) => ({
  ...{ source, call, ...(file !== undefined && { file }) },
  ...(argv !== undefined && { argv }),
  ...(stdin !== undefined && { stdin }),
  ...(modules !== undefined && { modules }),
});

interface TraceCallOptions extends CallOptions {
  /** Calls of the program's own functions: their lines in its place, or one step. */
  readonly calls?: "inline" | "keep";
  /** Functions without their telling names: f, g, h. */
  readonly anonymous?: boolean;
}

/**
 * The trace. Of a run that met a limit, of time, memory or output, it is as long as the run that stayed within; the reason says which limit.
 * Errors: LabError (noSandbox) where nothing contains Python here.
 */
export async function traceCall(options: TraceCallOptions): Promise<TraceRecord> {
  const { calls = "inline", maximumSteps = 100_000, anonymous = false } = options;
  const { host = "embedded", wallSeconds = 10, signal } = options;
  const request = (steps: number) => ({
    ...{ operation: "trace", ...programIn(options) },
    options: { calls, maximumSteps: steps, anonymous },
  });
  return await withHost({ host, atMost: 1 }, async (opened) => {
    const outcome = await opened.run(request(maximumSteps), { wallSeconds }, signal);
    const answer = outcome.kind === "time" ? await stoppedByTime(opened, options) : unwrapAnswer(outcome);
    if ("value" in answer) return parseTrace(answer.value, "lab.trace");
    const longest = await longestWithin(opened, request, { most: maximumSteps, wallSeconds, signal });
    if (longest === undefined) return await withoutLines(opened, options, answer.stopped);
    const record = parseTrace(longest.value, "lab.trace");
    const line = record.lines.at(-1)?.line ?? null;
    const place = line === null ? "" : `, after line ${line}`;
    return { ...record, reason: `${answer.stopped}${place}` };
  });
}

/**
 * The same run line by line: calls, lines, returns and exceptions of the source.
 * Errors: LabError (noSandbox) where nothing contains Python here; LabError where the run met a limit.
 */
export async function traceLines(options: CallOptions): Promise<LineRecord> {
  const { maximumSteps = 100_000, host = "embedded", wallSeconds = 10, signal } = options;
  const request = { operation: "lines", ...programIn(options), options: { maximumSteps } };
  const outcome = await withHost({ host, atMost: 1 }, (opened) =>
    opened.run(request, { wallSeconds }, signal),
  );
  const answer = unwrapAnswer(outcome);
  if ("stopped" in answer) return fail("the program", "a run within the limits", answer.stopped);
  return parseLineTrace(answer.value, "lab.lines");
}

/** Which took the time? The program alone, without being watched, tells. */
async function stoppedByTime(
  host: PythonHost,
  options: TraceCallOptions,
): Promise<{ readonly stopped: string }> {
  const { source, call, wallSeconds = 10, signal } = options;
  await host.ready();
  const started = performance.now();
  const request = { operation: "execute", ...programIn(options), code: `${source}\n${call}` };
  const alone = await host.run(request, { wallSeconds }, signal);
  const more = "--timeout N gives it more";
  if (alone.kind === "time") return { stopped: `${alone.words}; ${more}` };
  const took = `the program itself took ${duration((performance.now() - started) / 1000)}`;
  return { stopped: `tracing took longer than ${wallSeconds} s (${took}); ${more}` };
}

async function withoutLines(
  host: PythonHost,
  { source, call, signal }: TraceCallOptions,
  reason: string,
): Promise<TraceRecord> {
  const outcome = await host.run({ operation: "execute", code: "" }, {}, signal);
  if (outcome.kind !== "done") return fail("python", "an interpreter that starts", outcome.words);
  const { version, wordBits } = outcome.python;
  return {
    ...{ version: 1, source, call, code: "", lines: [], result: null, literal: null, steps: 0 },
    ...{ proven: false, python: { version, wordBits }, truncated: false, reason },
  };
}

/** The history, of a run that met a limit the events before it, or why the program gave none. Errors: LabError (noSandbox) where nothing contains Python here. */
export async function recordHistory(
  options: CallOptions,
): Promise<HistoryRecord | { readonly stopped: string }> {
  const { maximumSteps = 20_000, host = "embedded", wallSeconds = 10, signal } = options;
  const request = (steps: number) => ({
    ...{ operation: "history", ...programIn(options), options: { maximumSteps: steps } },
  });
  return await withHost({ host, atMost: 1 }, async (opened) => {
    const outcome = await opened.run(request(maximumSteps), { wallSeconds }, signal);
    const answer =
      outcome.kind === "time"
        ? { stopped: `${outcome.words}; --timeout N gives it more, --max-steps N records less` }
        : unwrapAnswer(outcome);
    if ("value" in answer) return parseHistory(answer.value, "lab.history");
    const longest = await longestWithin(opened, request, { most: maximumSteps, wallSeconds, signal });
    if (longest === undefined) return answer;
    return { ...parseHistory(longest.value, "lab.history"), reason: answer.stopped };
  });
}
