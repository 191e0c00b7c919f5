/** @file Programs in the debugger and in Python's own (`bdb.witness.test-helper.py`), command by command; and back again. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rngFrom } from "../../core/rng.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { runPython } from "../trace/python.test-helper.ts";
import type { RandomProgram } from "../trace/random-program.test-helper.ts";
import { execute, openRecording, openSession, type Recording, type Session, type Stop } from "./index.ts";
import { listWrites } from "./provenance.ts";

const witnessFile = fileURLToPath(new URL("bdb.witness.test-helper.py", import.meta.url));

interface WitnessStop {
  /** What was done since the stop before; null at the first. */
  readonly said: readonly string[] | null;
  readonly event: "call" | "line" | "return" | "exception" | "end";
  readonly function: string;
  readonly line: number;
  readonly locals: Readonly<Record<string, string>>;
}
interface Witness {
  readonly stops: readonly WitnessStop[];
  readonly stores: readonly (readonly [event: number, activation: number, name: string])[];
}

interface Command {
  readonly do: string;
  readonly up?: number;
  readonly line?: number;
  readonly function?: string;
  readonly condition?: string;
}

const conditions = ["a > 2", "b == c", "len(xs) > 2", "c % 2 == 0 and xs", "not ys or a in xs[:2]"];

/** Commands of all kinds, drawn by a seed; more steps than anything else. */
function commandsFor({ source }: RandomProgram, seed: number): Command[] {
  const rng = rngFrom(seed).fork("debugger/commands");
  const lines = source.split("\n").flatMap((text, i) => (/^\s+[^\s#]/.test(text) ? [i + 1] : []));
  const names = [...source.matchAll(/^(?:async )?def (\w+)/gm)].map(([, name]) => name);
  const line = () => lines[rng.below(lines.length)];
  return Array.from({ length: 60 }, (): Command => {
    const up = rng.below(6) === 0 ? { up: 1 + rng.below(2) } : {};
    const condition = rng.below(2) === 0 ? { condition: conditions[rng.below(conditions.length)] } : {};
    const kind = rng.below(100);
    if (kind < 34) return { do: "step" };
    if (kind < 60) return { do: "next", ...up };
    if (kind < 68) return { do: "return", ...up };
    if (kind < 74) return { do: "until", ...up };
    if (kind < 79) return { do: "until", line: line(), ...up };
    if (kind < 84) return { do: "continue" };
    if (kind < 91) return { do: "break", line: line(), ...condition };
    if (kind < 93) return { do: "break", function: names[rng.below(names.length)], ...condition };
    if (kind < 97) return { do: "tbreak", line: line(), ...condition };
    return { do: "clear" };
  });
}

function witnesses(programs: readonly RandomProgram[], seed: number): Witness[] {
  const input = programs.map(
    (program, i) => `${JSON.stringify({ ...program, commands: commandsFor(program, seed + i) })}\n`,
  );
  const run = spawnSync("python3", ["-I", witnessFile], {
    input: input.join(""),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: 1_800_000,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  const lines = run.stdout.split("\n").filter((line) => line.startsWith("@"));
  return lines.map((line) => JSON.parse(line.slice(1)));
}

export const recorded = (programs: readonly (RandomProgram & { readonly options?: object })[]): Recording[] =>
  runPython(programs.map((program) => ({ operation: "history", ...program }))).map((answer, i) =>
    openRecording(parseHistory(answer, programs[i].call)),
  );

export interface DebuggerTally {
  readonly findings: readonly { readonly problem: string; readonly program: RandomProgram }[];
  /** Of moving commands that were compared with bdb, by their name. */
  readonly compared: Readonly<Record<string, number>>;
  readonly moments: number;
}

export function compareWithBdb(programs: readonly RandomProgram[], seed: number): DebuggerTally {
  const findings: { problem: string; program: RandomProgram }[] = [];
  const compared: Record<string, number> = {};
  let moments = 0;
  const told = witnesses(programs, seed);
  for (const [i, run] of recorded(programs).entries()) {
    const program = programs[i];
    const problem =
      forwardsProblem(run, told[i].stops, compared) ??
      backwardsProblem(run) ??
      breakpointsProblem(run, program, seed + i) ??
      storesProblem(run, told[i].stores);
    if (problem !== undefined) findings.push({ problem, program });
    moments += run.length - run.record.began;
  }
  return { findings, compared, moments };
}

function forwardsProblem(
  run: Recording,
  stops: readonly WitnessStop[],
  compared: Record<string, number>,
): string | undefined {
  let session = openSession(run);
  let reply = execute(session, `goto ${session.moment}`).reply as Stop; // a moment that is there
  for (const [i, stop] of stops.entries()) {
    for (const said of stop.said ?? []) {
      const done = execute(session, said);
      if (done.reply.kind === "refused" && !said.startsWith("break") && !said.startsWith("tbreak"))
        return `stop ${i}: ${said} is refused: ${done.reply.words}`;
      if (done.reply.kind === "stop") {
        reply = done.reply;
        const name = said.split(" ").length > 1 ? `${said.split(" ")[0]} LINE` : said;
        compared[name] = (compared[name] ?? 0) + 1;
      }
      session = done.session;
    }
    const found = seen(reply);
    const wanted = stop.event === "end" ? "end" : text(stop.event, stop.function, stop.line, stop.locals);
    if (found !== wanted) return `stop ${i}, after ${stop.said?.join("; ")}: ${found}, bdb ${wanted}`;
  }
  return undefined;
}

const seen = (stop: Stop) =>
  stop.ended === undefined ? text(stop.event, stop.function, stop.line, withoutCode(stop.locals)) : "end";

/** A variable may hold a function; the witness shows data alone. */
const withoutCode = (locals: Stop["locals"]) =>
  Object.fromEntries(
    Object.entries(locals).filter(([, value]) => !/^<(function|builtin|type)>$/.test(value)),
  );

function text(event: string, name: string, line: number, locals: Readonly<Record<string, string>>): string {
  return JSON.stringify([event, name, line, Object.entries(locals).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Every state on the way forwards, reached again by going back: event by event, and over calls. */
function backwardsProblem(run: Recording): string | undefined {
  let session = openSession(run);
  const way: { readonly session: Session; readonly stop: Stop }[] = [];
  for (;;) {
    const { session: after, reply } = execute(session, "step");
    if (reply.kind !== "stop") return undefined;
    way.push({ session: after, stop: reply });
    const nextOf = execute(session, "next");
    if (nextOf.reply.kind === "stop" && nextOf.reply.ended === undefined) {
      const { activation, generator } = run.stackAt(session.moment);
      // a generator is gone through line by line, over its calls and returns
      const passed = generator && ["call", "return"].includes(run.events[session.moment].event);
      const own = activation === run.stackAt(nextOf.session.moment).activation && !passed;
      const backOver = execute(nextOf.session, "back over");
      if (own && backOver.session.moment !== session.moment)
        return `back over from moment ${nextOf.session.moment} comes to ${backOver.session.moment}, next came from ${session.moment}`;
    }
    session = after;
    if (reply.ended !== undefined) break;
  }
  for (const { stop } of way.toReversed().slice(1)) {
    const done = execute(session, "back");
    session = done.session;
    if (done.reply.kind !== "stop" || seen(done.reply) !== seen(stop))
      return `back to moment ${session.moment} shows another state than the way forwards`;
  }
  return undefined;
}

/** The stops of `back continue` are those of `continue`, the other way round. */
function breakpointsProblem(run: Recording, { source }: RandomProgram, seed: number): string | undefined {
  const rng = rngFrom(seed).fork("debugger/breakpoints");
  const lines = source.split("\n").length;
  let session = openSession(run);
  for (let i = 0; i < 3; i++) session = execute(session, `break ${1 + rng.below(lines)}`).session;
  const stops = (from: Session, command: string): number[] => {
    const found: number[] = [];
    let at = from;
    for (;;) {
      const { session: after, reply } = execute(at, command);
      if (reply.kind !== "stop" || reply.breakpoint === undefined) return found;
      found.push(after.moment);
      at = after;
    }
  };
  const forwards = stops(session, "continue");
  const backwards = stops(execute(session, "end").session, "back continue").filter(
    (moment) => moment > session.moment,
  );
  return JSON.stringify(forwards) === JSON.stringify(backwards.toReversed())
    ? undefined
    : `continue stops at ${forwards}, back continue at ${backwards}`;
}

/**
 * Expected bindings are the stores of Python's instructions; stores that are not reported kept the value, in an
 * expression or before an exception left.
 */
function storesProblem(run: Recording, stores: Witness["stores"]): string | undefined {
  // the witness counts from the call on
  const before = Math.max(...run.events.slice(0, run.record.began).map(({ activation }) => activation));
  const stored = new Set(
    stores.map(([event, activation, name]) => `${event + 1} ${activation + before}.${name}`),
  );
  const ours = new Map<string, string>();
  for (const [key] of keysOf(run)) {
    if (key.startsWith("0.")) continue;
    for (const { kind, moment, by } of listWrites(run, key)) {
      const own = by?.activation === Number(key.slice(0, key.indexOf(".")));
      const place = `${moment - run.record.began} ${key}`;
      ours.set(place, kind);
      if (kind === "bound" && own && !stored.has(place))
        return `${key} is bound at moment ${moment}: Python stored nothing`;
    }
  }
  for (const place of stored) {
    if (ours.has(place)) continue;
    const moment = Number(place.slice(0, place.indexOf(" "))) + run.record.began;
    const key = place.slice(place.indexOf(" ") + 1);
    const line = run.lineOf(moment - 1, Number(key.slice(0, key.indexOf("."))));
    const { unsure = false } = run.statementsAt(line)[0] ?? {};
    const told =
      unsure ||
      run.statementsAt(line).length > 1 ||
      /:=|\bwith\b|except|\blambda\b/.test(run.lines[line - 1] ?? "");
    if (!told && run.events[moment].unwinding !== true && run.valueOf(moment, key) !== undefined)
      return `Python stored ${key} before moment ${moment}, line ${line}: ${run.lines[line - 1]}; no writing is told`;
  }
  return undefined;
}

function keysOf(run: Recording): Map<string, true> {
  const keys = new Map<string, true>();
  for (const { names = [] } of run.events) for (const name of names) keys.set(name, true);
  return keys;
}
