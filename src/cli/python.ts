/** @file What the commands that run Python share: the flags that choose a host, and words for how a program ended. */

import { hostNames, type Outcome, type PythonHost } from "../python/host.ts";
import { openHost } from "../python/open.ts";
import { fail, LabError } from "../records/error.ts";
import { choiceFlag, type Options } from "./command.ts";

export const hostOptions = {
  host: {
    type: "string",
    value: "HOST",
    default: "embedded",
    description: "embedded (WebAssembly) or native (CPython in bubblewrap, Linux)",
  },
  seconds: {
    type: "string",
    value: "N",
    default: "10",
    description: "stop a program that runs for longer",
  },
} as const satisfies Options;

/** A number of seconds, fractions allowed. @throws LabError (usage) */
export function secondsFlag(flag: string, text: string): number {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) && value > 0
    ? value
    : fail(flag, "a number of seconds above 0", text);
}

/** Opens the host, hands it on and closes it, whatever happens. */
export async function withHost<T>(
  { host, share, atMost }: { readonly host: string; readonly share?: boolean; readonly atMost?: number },
  use: (host: PythonHost) => Promise<T>,
): Promise<T> {
  const opened = await openHost(choiceFlag("--host", host, hostNames), {
    ...(share !== undefined && { share }),
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
    case "time":
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
