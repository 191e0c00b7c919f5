/** @file Opens a Python host by name, runs requests on it, and explains how a program ended. */

import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { type EmbeddedOptions, embeddedHost } from "./embedded.ts";
import type { HostName, Limits, Outcome, PythonHost, PythonRequest } from "./host.ts";
import { type NativeOptions, nativeHost } from "./native.ts";

/** The embedded host runs anywhere; the native one needs Linux, bubblewrap and Python 3.11. */
export function openHost(
  choice: HostName,
  options: EmbeddedOptions & NativeOptions = {},
): Promise<PythonHost> {
  switch (choice) {
    case "embedded":
      return embeddedHost(options);
    case "native":
      return nativeHost(options);
    default:
      return choice satisfies never;
  }
}

/** Opens the host, passes it to `use` and closes it in all cases. A host that is open stays open. */
export async function withHost<T>(
  { host, atMost }: { readonly host: HostName | PythonHost; readonly atMost?: number },
  use: (host: PythonHost) => Promise<T>,
): Promise<T> {
  if (typeof host !== "string") return await use(host);
  const opened = await openHost(host, { ...(atMost !== undefined && { atMost }) });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** The answer, or why there is none. @throws LabError (noSandbox) if the sandbox could not be created. */
export function unwrapAnswer(outcome: Outcome): { readonly value: unknown } | { readonly stopped: string } {
  if (outcome.kind === "done") return { value: outcome.value };
  if (outcome.kind === "sandbox") throw new LabError(`python: ${outcome.words}`, "noSandbox");
  if (outcome.kind !== "time") return { stopped: outcome.words };
  // making, replaying and comparing a trace; the program is the least of it
  const words = outcome.words.replace("the program ran", "tracing ran");
  return { stopped: `${words}; --timeout N gives it more` };
}

/**
 * For a run that exceeded a limit: searches for the largest number of steps that completes within a quarter of the
 * time. All runs together take at most twice `wallSeconds`; undefined if none completed.
 */
export async function longestWithin(
  host: PythonHost,
  request: (steps: number) => PythonRequest,
  { most, wallSeconds, signal }: { most: number; wallSeconds: number; signal?: AbortSignal | undefined },
): Promise<{ readonly value: unknown } | undefined> {
  let longest: { readonly value: unknown } | undefined;
  let [done, met] = [0, most]; // step counts known to complete, and to exceed the limit
  for (let seconds = 0; met - done > 1 && seconds < 2 * wallSeconds; ) {
    const steps = done === 0 ? Math.ceil(Math.min(met, 4096) / 8) : Math.min(done * 8, (done + met) >> 1);
    await host.ready();
    const started = performance.now();
    const outcome = await host.run(request(steps), { wallSeconds: wallSeconds / 4 }, signal);
    seconds += (performance.now() - started) / 1000;
    if (outcome.kind === "sandbox") break;
    if (outcome.kind === "done") [longest, done] = [{ value: outcome.value }, steps];
    else met = steps;
  }
  return longest;
}

export type Answered = { readonly value: unknown; readonly python: string } | { readonly stopped: string };

const Several = z.object({ answers: z.array(z.unknown()) });

/**
 * Answers several requests, each in a fresh interpreter state, for about the cost of one. If they exceed the common
 * time or memory, each is run again with the full limits.
 * @throws LabError (noSandbox) if the sandbox could not be created.
 */
export async function severally(
  host: PythonHost,
  requests: readonly PythonRequest[],
  limits: Partial<Limits>,
  signal?: AbortSignal,
): Promise<Answered[]> {
  const run = async (request: PythonRequest): Promise<Answered> => {
    const outcome = await host.run(request, limits, signal);
    const answer = unwrapAnswer(outcome);
    return "stopped" in answer
      ? answer
      : { ...answer, python: outcome.kind === "done" ? outcome.python.version : "" };
  };
  const all = requests.length > 1 ? await run({ operation: "several", requests }) : undefined;
  if (all !== undefined && "value" in all)
    return Several.parse(all.value).answers.map((value) => ({ value, python: all.python }));
  const answers: Answered[] = [];
  for (const request of requests) answers.push(await run(request));
  return answers;
}
