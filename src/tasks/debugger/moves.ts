/**
 * @file The debugger's moves through a recorded run (`Moment`s in order), by the commands of `statelab debug`.
 *
 *     step             the next moment                        back                   the one before
 *     next             the next of this call, over calls      back over              the one before of this call, or its caller's
 *     return           the return of this call                back out               where this call began
 *     continue LINE    where that line runs next              back continue LINE     where it ran last
 *
 * `src/python/debugger` has the same for any recording; tests compare the two on CPython's recordings.
 */

import type { Moment } from "../branches/interpret.ts";

export const moves = {
  step: (_, from) => from + 1,
  next(moments, from) {
    // at a return it acts like step
    if (moments[from].event === "return") return from + 1;
    return forwards(moments, from, ({ depth }) => depth === moments[from].depth);
  },
  return(moments, from) {
    const { depth } = moments[from];
    return forwards(moments, from, (each) => each.depth < depth || (each.depth === depth && returns(each)));
  },
  continue: (moments, from, line) =>
    forwards(moments, from, (each) => each.event === "line" && each.line === line),
  back: (_, from) => from - 1,
  "back over": (moments, from) => backwards(moments, from, ({ depth }) => depth <= moments[from].depth),
  "back out"(moments, from) {
    const { depth, event } = moments[from];
    if (event === "call") return backwards(moments, from, (each) => each.depth < depth);
    return backwards(moments, from, (each) => each.depth === depth && each.event === "call");
  },
  "back continue": (moments, from, line) =>
    backwards(moments, from, (each) => each.event === "line" && each.line === line),
} as const satisfies Record<string, Move>;
export type CommandName = keyof typeof moves;
export const commandNames = Object.keys(moves) as CommandName[];

/** Where it stops; undefined if it is not possible there. `line` is for commands with a line number. */
type Move = (moments: readonly Moment[], from: number, line: number) => number;

export const isBackwards = (name: CommandName) => name.startsWith("back");
export const namesLine = (name: CommandName) => name.endsWith("continue");

/** The moment at which a command stops; undefined if it is not possible there. */
export function landing(
  moments: readonly Moment[],
  from: number,
  name: CommandName,
  line: number,
): number | undefined {
  const to = moves[name](moments, from, line);
  return to >= 0 && to < moments.length ? to : undefined;
}

/** Number of lines that start on the way: forward after `from`, up to `to`; backward the reverse. */
export function linesJumped(moments: readonly Moment[], from: number, to: number): number {
  const way = from < to ? moments.slice(from + 1, to + 1) : moments.slice(to, from);
  return way.filter(({ event }) => event === "line").length;
}

const returns = ({ event }: Moment) => event === "return";

function forwards(moments: readonly Moment[], from: number, stops: (moment: Moment) => boolean): number {
  for (let at = from + 1; at < moments.length; at++) if (stops(moments[at])) return at;
  return moments.length;
}

function backwards(moments: readonly Moment[], from: number, stops: (moment: Moment) => boolean): number {
  for (let at = from - 1; at >= 0; at--) if (stops(moments[at])) return at;
  return -1;
}
