/**
 * @file One call of a Python function, recorded for the debugger: the work of `statelab debug`.
 *
 *     await recordHistory({ source: "def f(x):\n    return x + 1\n", call: "f(1)" })     { events, began, statements, ... }
 */

import type { HostName } from "../../python/sandbox/host.ts";
import { longestWithin, unwrapAnswer, withHost } from "../../python/sandbox/open.ts";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";

interface RecordOptions {
  readonly source: string;
  readonly call: string;
  /** The name of the program's file, as it sees it; main.py by default. */
  readonly file?: string;
  /** Events after which the program is stopped. */
  readonly maximumSteps?: number;
  readonly host?: HostName;
  readonly wallSeconds?: number;
  readonly signal?: AbortSignal;
}

/** The history, of a run that met a limit the events before it, or why the program gave none. Errors: LabError (noSandbox) where nothing contains Python here. */
export async function recordHistory(
  options: RecordOptions,
): Promise<HistoryRecord | { readonly stopped: string }> {
  const { source, call, file, maximumSteps = 20_000, host = "embedded", wallSeconds = 10, signal } = options;
  const request = (steps: number) => ({
    ...{ operation: "history", source, call, ...(file !== undefined && { file }) },
    options: { maximumSteps: steps },
  });
  return await withHost({ host, atMost: 1 }, async (opened) => {
    const outcome = await opened.run(request(maximumSteps), { wallSeconds }, signal);
    const answer =
      outcome.kind === "time"
        ? { stopped: `${outcome.words}; --seconds N gives it more, --steps N records less` }
        : unwrapAnswer(outcome);
    if ("value" in answer) return parseHistory(answer.value, "lab.history");
    const longest = await longestWithin(opened, request, { most: maximumSteps, wallSeconds, signal });
    if (longest === undefined) return answer;
    return { ...parseHistory(longest.value, "lab.history"), reason: answer.stopped };
  });
}
