/** @file A Python host for the time of one piece of work, and words for how a program ended. */

import { z } from "zod";
import type { HostName, Limits, Outcome, PythonHost, PythonRequest } from "../../python/host.ts";
import { openHost } from "../../python/open.ts";
import { LabError } from "../../records/error.ts";

/** Opens the host, hands it on and closes it, whatever happens. */
export async function withHost<T>(
  { host, atMost }: { readonly host: HostName; readonly atMost?: number },
  use: (host: PythonHost) => Promise<T>,
): Promise<T> {
  const opened = await openHost(host, {
    ...(atMost !== undefined && { atMost }),
  });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** The answer, or why there is none. @throws LabError (noSandbox) where the sandbox could not be made. */
export function answerOf(outcome: Outcome): { readonly value: unknown } | { readonly stopped: string } {
  switch (outcome.kind) {
    case "done":
      return { value: outcome.value };
    case "sandbox":
      throw new LabError(`python: ${outcome.words}`, "noSandbox");
    case "time": // making, replaying and comparing a trace; the program is the least of it
      return {
        stopped: `${outcome.words.replace("the program ran", "tracing ran")}; --seconds N gives it more`,
      };
    case "memory":
    case "output":
    case "result-size":
    case "crashed":
    case "forged":
    case "exited":
      return { stopped: outcome.words };
    default:
      return outcome satisfies never;
  }
}

export type Answered = { readonly value: unknown; readonly python: string } | { readonly stopped: string };

const Several = z.object({ answers: z.array(z.unknown()) });

/**
 * Answers of several requests, each by an untouched interpreter, for the cost of about one. What has no answer in the time or memory of all
 * of them is asked again alone, with all of it for itself.
 * @throws LabError (noSandbox) where the sandbox could not be made.
 */
export async function severally(
  host: PythonHost,
  requests: readonly PythonRequest[],
  limits: Partial<Limits>,
  signal?: AbortSignal,
): Promise<Answered[]> {
  const run = async (request: PythonRequest): Promise<Answered> => {
    const outcome = await host.run(request, limits, signal);
    const answer = answerOf(outcome);
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
