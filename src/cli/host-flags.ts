/** @file The flags of commands that run Python: which host, for how long. */

import { fail } from "../core/error.ts";
import { hostNames, longestSeconds } from "../python/sandbox/host.ts";
import { choiceFlag, type Options } from "./command.ts";

/** Of `trace` and `data trace`. */
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

/** A number of seconds, fractions allowed, that a timer can wait. @throws LabError (usage) */
export function secondsFlag(flag: string, text: string): number {
  const value = Number(text);
  return text.trim() !== "" && value > 0 && value <= longestSeconds
    ? value
    : fail(flag, `a number of seconds above 0, at most ${longestSeconds} (24 days)`, text);
}

export const hostFlag = (text: string) => choiceFlag("--host", text, hostNames);

/** Of commands that run answers. */
export const sandboxOptions = {
  host: {
    type: "string",
    value: "NAME",
    default: "auto",
    description: "where programs run: native (Linux with bubblewrap), embedded (anywhere), or auto",
  },
} as const satisfies Options;

export const sandboxFlags = ({ host }: { readonly host: string }) => ({
  host: choiceFlag("--host", host, ["auto", ...hostNames]),
});
