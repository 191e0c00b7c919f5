/**
 * @file Movement through a recording. Forward moves stop where Python's debugger would (`bdb`, the base of `pdb`);
 * each backward move inverts a forward one.
 *
 *     step     the next event                      back        the event before
 *     next     the next event of this call         backOver    the event before of this call, over calls that it made
 *     return   the return of this call             backOut     the call of this call
 *     until    a line further down, or its return
 *     continue the next breakpoint, or the end     backContinue   the breakpoint before, or the beginning
 *
 * Source of the forward rules: Lib/bdb.py of CPython 3.11, `stop_here` and `dispatch_*`: a stop frame, a returning
 * frame, a stop line. As in bdb, `next` at a return is a step, and calls and returns of generators are skipped except
 * by `step`. Unlike bdb, `return` in a generator stops at its next yield.
 */

import { type Frame, frameStack, type Recording } from "./recording.ts";

/** A place to stop; `line` counts, or the first line that runs in `function`. */
export interface Breakpoint {
  readonly number: number;
  readonly line: number;
  readonly function?: string;
  readonly temporary: boolean;
  readonly enabled: boolean;
  readonly condition?: string;
}

/** Whether a breakpoint's condition is true at a moment. */
export type Holds = (condition: string, moment: number) => boolean;

export interface Landing {
  /** The moment; one after the last event if the run has ended. */
  readonly moment: number;
  /** The breakpoint that stopped it. */
  readonly breakpoint?: Breakpoint;
}

export type ForwardMove =
  | { readonly kind: "step" }
  | { readonly kind: "next"; readonly frame: Frame }
  | { readonly kind: "return"; readonly frame: Frame }
  | { readonly kind: "until"; readonly frame: Frame; readonly line: number }
  | { readonly kind: "continue" };

/** `any` stops everywhere; NEVER as a line stops nowhere. */
interface Mode {
  readonly stop: number | "any" | "none";
  readonly stopIsGenerator: boolean;
  readonly returning: number | null;
  readonly line: number;
  /** A generator's return, or its next yield, is what is waited for. */
  readonly yields?: true;
}
const NEVER = -1;

function modeOf(move: ForwardMove): Mode {
  const base = { stopIsGenerator: false, returning: null, line: 0 };
  switch (move.kind) {
    case "step":
      return { ...base, stop: "any" };
    case "next":
      return { ...base, stop: move.frame.activation, stopIsGenerator: move.frame.generator };
    case "until":
      return {
        ...{ stop: move.frame.activation, stopIsGenerator: move.frame.generator },
        ...{ returning: move.frame.activation, line: move.line },
      };
    case "return": {
      const { activation, generator, below } = move.frame;
      if (generator) return { ...base, stop: "none", returning: activation, line: NEVER, yields: true };
      const stop = below === null ? "none" : below.activation;
      return { stop, stopIsGenerator: below?.generator ?? false, returning: activation, line: 0 };
    }
    case "continue":
      return { ...base, stop: "none", line: NEVER };
    default:
      return move satisfies never;
  }
}

export function forward(
  run: Recording,
  from: number,
  move: ForwardMove,
  breakpoints: readonly Breakpoint[],
  holds: Holds,
): Landing {
  let mode = modeOf(move);
  const now = run.events[from];
  // `next` and `until` at the return of their call become a step
  if (now?.event === "return" && mode.stop === now.activation && mode.line !== NEVER)
    mode = { ...mode, stop: "any" };
  const under = new Set(frameStack(run.stackAt(from)).map((frame) => frame.activation));
  for (let moment = from + 1; moment < run.length; moment++) {
    const { event, activation, line, exception } = run.events[moment];
    const here =
      mode.stop === "any" || (mode.stop === activation && mode.line !== NEVER && line >= mode.line);
    const passed = mode.stop !== "any" && run.stackAt(moment).generator;
    switch (event) {
      case "call":
        if (here && !passed) return { moment };
        break;
      case "line": {
        if (here) return { moment };
        const breakpoint = breakpointAt(run, moment, breakpoints, holds);
        if (breakpoint !== undefined) return { moment, breakpoint };
        break;
      }
      case "return":
        if (
          (here || mode.returning === activation) &&
          (!passed || (mode.yields && mode.returning === activation))
        )
          return { moment };
        break;
      case "exception": {
        // a generator that was to return tells of its end by an exception in its caller
        const ended = ["StopIteration", "GeneratorExit"].includes(exception?.type ?? "");
        if (here || (mode.stopIsGenerator && mode.stop !== activation && ended && under.has(activation)))
          return { moment };
        break;
      }
      default:
        event satisfies never;
    }
  }
  return { moment: run.length };
}

/** The first breakpoint that stops at a line event. */
export function breakpointAt(
  run: Recording,
  moment: number,
  breakpoints: readonly Breakpoint[],
  holds: Holds,
): Breakpoint | undefined {
  const { event, line } = run.events[moment];
  if (event !== "line") return undefined;
  const frame = run.stackAt(moment);
  return breakpoints.find(
    (each) =>
      each.enabled &&
      (each.function === undefined
        ? each.line === line
        : each.function === frame.function && firstLine(run, frame.function) === line) &&
      (each.condition === undefined || holds(each.condition, moment)),
  );
}

const firstLines = new WeakMap<Recording, Map<string, number>>();

/** The line that runs first in a function, in its first call. */
export function firstLine(run: Recording, name: string): number | undefined {
  let known = firstLines.get(run);
  if (known === undefined) {
    known = new Map();
    for (const { event, function: each, line } of run.events)
      if (event === "line" && !known.has(each)) known.set(each, line);
    firstLines.set(run, known);
  }
  return known.get(name);
}

/** The event before; -1 at the beginning. */
export const back = (from: number): number => from - 1;

/** The last event before of the frame or of one that called it: over all that it called. In a generator, also over who asked it. */
export function backOver(run: Recording, from: number, frame: Frame): number {
  if (frame.generator) {
    const own = run.momentsOf(frame.activation);
    const found = own.findLast(
      (moment) => moment < from && ["line", "exception"].includes(run.events[moment].event),
    );
    if (found !== undefined) return found;
  }
  const own = new Set<number>();
  for (let each: Frame | null = frame; each !== null; each = each.below) own.add(each.activation);
  for (let moment = from - 1; moment >= 0; moment--)
    if (own.has(run.events[moment].activation)) return moment;
  return -1;
}

/** The event with which the call began that the frame is of; from there that of its caller. */
export function backOut(run: Recording, from: number, frame: Frame): number {
  for (let moment = from - 1; moment >= 0; moment--) {
    const { event, activation } = run.events[moment];
    if (event === "call" && activation === frame.activation) return moment;
  }
  return frame.below === null ? -1 : backOver(run, from, frame.below);
}

/** The last breakpoint before; -1 if there is none. */
export function backContinue(
  run: Recording,
  from: number,
  breakpoints: readonly Breakpoint[],
  holds: Holds,
): Landing {
  for (let moment = from - 1; moment >= 0; moment--) {
    const breakpoint = breakpointAt(run, moment, breakpoints, holds);
    if (breakpoint !== undefined) return { moment, breakpoint };
  }
  return { moment: -1 };
}
