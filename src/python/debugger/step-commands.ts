/** @file Commands that move through the recording, and the stops they report. */

import { stateLiterals } from "../values/repr.ts";
import { Conditions, expressionProblem, shownDisplays, valueOrReason } from "./queries.ts";
import { type Frame, MODULE, type Recording } from "./recording.ts";
import { failureText } from "./render.ts";
import type { Change, Stop } from "./session.ts";
import { currentEvent, type Executed, refused, type Session, selectedFrame } from "./session.ts";
import {
  type Breakpoint,
  back,
  backContinue,
  backOut,
  backOver,
  breakpointAt,
  type ForwardMove,
  forward,
  type Landing,
} from "./stepping.ts";

const atTheEnd = (session: Session) =>
  refused(session, "the run has ended here; back goes back, start to its beginning");

export function moveForward(session: Session, move: ForwardMove): Executed {
  const { run, moment, breakpoints } = session;
  if (moment >= run.length) return atTheEnd(session);
  const conditions = new Conditions(run);
  return landed(session, forward(run, moment, move, breakpoints, conditions.holds), true, conditions);
}

/**
 * Moves to the first line event at or after this one that reaches a line or satisfies a condition: within `frame`, at
 * most to its return, or in any call.
 */
export function forwardTo(session: Session, argument: string, frame?: Frame): Executed {
  const { run, moment, breakpoints } = session;
  if (moment >= run.length) return atTheEnd(session);
  const conditions = new Conditions(run);
  const wanted = targetOf(session, argument, conditions);
  if (typeof wanted === "string") return refused(session, wanted);
  const passed = (at: number) =>
    neverComputed(session, argument, conditions) ?? landed(session, { moment: at }, true, conditions);
  for (let at = moment + 1; at < run.length; at++) {
    const own = frame === undefined || run.events[at].activation === frame.activation;
    if (own && wanted(at)) return landed(session, { moment: at }, true, conditions);
    const ended = frame !== undefined && own && run.events[at].event === "return" && !frame.generator;
    if (ended) return passed(at);
    const breakpoint = breakpointAt(run, at, breakpoints, conditions.holds);
    if (breakpoint !== undefined) return landed(session, { moment: at, breakpoint }, true, conditions);
  }
  return passed(run.length);
}

/** The reply if the condition could not be evaluated anywhere; the session does not move. */
function neverComputed(session: Session, condition: string, conditions: Conditions): Executed | undefined {
  const failure = conditions.failureOf(condition);
  return failure && refused(session, failureText(failure));
}

/** A predicate for moments: a line is reached, or a condition is true. */
function targetOf(
  { run }: Session,
  argument: string,
  conditions: Conditions,
): ((moment: number) => boolean) | string {
  const isLine = (moment: number) => run.events[moment].event === "line";
  if (/^\d+$/.test(argument)) {
    const line = Number(argument);
    if (line < 1 || line > run.lines.length)
      return `expected a line from 1 to ${run.lines.length}, got ${argument}`;
    return (moment) => isLine(moment) && run.events[moment].line === line;
  }
  return expressionProblem(argument) ?? ((moment) => isLine(moment) && conditions.holds(argument, moment));
}

export function moveBack(
  session: Session,
  way: "back" | "over" | "out" | "continue",
  argument = "",
): Executed {
  const { run, moment, breakpoints } = session;
  if (moment === 0) return refused(session, "this is the beginning of the recording");
  const frame = selectedFrame(session);
  switch (way) {
    case "back":
      return landed(session, { moment: back(moment) }, false);
    case "over":
      return landed(session, { moment: Math.max(0, backOver(run, moment, frame)) }, false);
    case "out":
      return landed(session, { moment: Math.max(0, backOut(run, moment, frame)) }, false);
    case "continue": {
      // to the beginning of the call, and only from there into what the module did before
      const beginning = moment > run.record.began ? run.record.began : 0;
      const conditions = new Conditions(run);
      if (argument === "") {
        const found = backContinue(run, moment, breakpoints, conditions.holds);
        return landed(session, found.moment < 0 ? { moment: beginning } : found, false, conditions);
      }
      const wanted = targetOf(session, argument, conditions);
      if (typeof wanted === "string") return refused(session, wanted);
      for (let at = moment - 1; at >= 0; at--)
        if (wanted(at)) return landed(session, { moment: at }, false, conditions);
      return (
        neverComputed(session, argument, conditions) ??
        landed(session, { moment: beginning }, false, conditions)
      );
    }
    default:
      return way satisfies never;
  }
}

export function goTo(session: Session, moment: number): Executed {
  return landed(session, { moment }, moment > session.moment);
}

function landed(
  before: Session,
  { moment, breakpoint }: Landing,
  forwards: boolean,
  conditions?: Conditions,
): Executed {
  // one that is to stop once has, if it stopped forwards
  const gone = forwards && breakpoint?.temporary ? breakpoint : undefined;
  const session: Session = {
    ...before,
    ...{ moment, selected: 0, listed: undefined },
    breakpoints: before.breakpoints.filter((each) => each !== gone),
  };
  const failures = conditions?.failures ?? [];
  const stop = stopOf(session, before, breakpoint);
  return { session, reply: failures.length === 0 ? stop : { ...stop, failures } };
}

/** Shown before the first command. */
export const firstStop = (session: Session): Stop => stopOf(session, session);

function stopOf(session: Session, before: Session, breakpoint?: Breakpoint): Stop {
  const { run, moment } = session;
  const now = currentEvent(session);
  const { event, line, value, exception, unwinding } = run.events[now];
  const frame = run.stackAt(now);
  const { reason, result } = run.record;
  return {
    kind: "stop",
    moment,
    moments: run.length,
    event,
    function: frame.function,
    line,
    source: (run.lines[line - 1] ?? "").trimEnd(),
    depth: frame.depth,
    ...(event === "return" && (unwinding ? { unwinding } : { value: literal(value ?? null) })),
    ...(event === "return" && run.yieldsAt(now) && { yields: true as const }),
    ...(exception !== undefined && { exception: exceptionText(exception) }),
    ...(breakpoint !== undefined && { breakpoint: breakpoint.number }),
    locals: run.localLiterals(now, frame.activation),
    changed: changesBetween(run, currentEvent(before), now, frame.activation),
    printed: run.printed(currentEvent(before), Math.min(moment, run.length)),
    displays: shownDisplays(session).map((shown) => {
      const old = valueOrReason(before, shown.expression);
      return old === shown.value ? shown : { ...shown, before: old };
    }),
    ...(moment >= run.length && { ended: reason ?? `the call returns ${literal(result)}` }),
  };
}

const literal = (value: Parameters<typeof stateLiterals>[0][string]) => stateLiterals({ value }).value;

const exceptionText = ({ type, message }: { readonly type: string; readonly message: string }) =>
  message === "" ? type : `${type}: ${message}`;

/** Changes of the variables visible to the call. */
function changesBetween(run: Recording, from: number, to: number, activation: number): Change[] {
  if (from === to) return [];
  const [old, now] = [run.literals(from), run.literals(to)];
  const seen = [...new Set([...Object.keys(now), ...Object.keys(old)])].filter(
    (key) => key.startsWith(`${activation}.`) || key.startsWith(`${MODULE}.`),
  );
  return seen.flatMap((key) =>
    old[key] === now[key]
      ? []
      : [{ name: key.slice(key.indexOf(".") + 1), before: old[key] ?? null, after: now[key] ?? null }],
  );
}
