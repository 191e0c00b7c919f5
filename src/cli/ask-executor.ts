/** @file statelab ask --on ENGINE: the questions as an engine's tasks, a share each. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { AskEnd } from "../app/llm/run.ts";
import { askOn } from "../app/llm/sharded.ts";
import { fail } from "../core/error.ts";
import { objectsOf } from "../executors/index.ts";
import { failuresOf } from "../executors/supervise.ts";
import { askOptions, type orderOf } from "./ask-order.ts";
import { type Invocation, integerFlag } from "./lib/command.ts";
import type { Stand } from "./lib/executor.ts";

type Ordered = Awaited<ReturnType<typeof orderOf>>;

export interface AskOnRequest extends Ordered, Pick<Invocation, "json" | "print" | "say"> {
  readonly values: Readonly<Record<string, unknown>>;
  readonly share: string;
  readonly stand: Stand;
  readonly report: (end: AskEnd) => number;
}

export async function askOnEngine(request: AskOnRequest): Promise<number> {
  const { order, models, values, stand, json, print, say, report } = request;
  const [{ model: _, ...only }, ...others] = models;
  if (others.length > 0) fail("ask", "one --model with --on", `${models.length} of them`);
  if (values.budget !== undefined)
    fail("ask", "--on without --budget", "both", "No task knows what the others have spent");
  if (objectsOf(stand.engine.name) !== undefined) refuseFilesHere(values);
  const { states, end } = await askOn(
    { ...order, ...only },
    {
      ...stand,
      ...{ size: integerFlag("--share", request.share, 1), flags: flagsFor(values, stand.atMost) },
    },
  ).finally(() => stand.close());
  for (const words of new Set(failuresOf(states))) say(`statelab: a share failed: ${words}`);
  if (end !== undefined) return report(end);
  return failuresOf(states).length > 0 && states.every(({ kind }) => kind === "done" || kind === "failed")
    ? 1
    : stand.unfinished(json, print);
}

/** A store carries what is in the folder of the asking. Other files a task reads where it is. */
function refuseFilesHere(values: Readonly<Record<string, unknown>>): void {
  for (const name of ["task", "prompt", "data", "traces", "prices"]) {
    const value = values[name];
    if (typeof value === "string" && !isAbsolute(value) && existsSync(value))
      fail(`--${name}`, "with --objects an absolute path that every machine has", value);
  }
}

/** What a task needs of the flags; its part of the requests a minute. No flag holds a secret: those are in the environment. */
function flagsFor(values: Readonly<Record<string, unknown>>, atMost: number) {
  const given = Object.keys(askOptions).flatMap((name): [string, string | boolean | string[]][] => {
    const value = values[name];
    if (name === "out" || value === undefined) return [];
    return [[name, Array.isArray(value) ? [...value] : (value as string | boolean)]]; // as the command line makes them
  });
  const flags = Object.fromEntries(given);
  const perMinute = flags["per-minute"];
  if (perMinute === undefined) return flags;
  const part = Math.floor(Number(perMinute) / atMost);
  if (part < 1) fail("--per-minute", `at least one for each of --at-most ${atMost}`, String(perMinute));
  return { ...flags, "per-minute": String(part) };
}
