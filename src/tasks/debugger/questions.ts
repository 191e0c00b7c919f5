/**
 * @file Questions about a program, and the distribution of their answers.
 *
 *     a question    arguments, a moment of the run with them, a command: uniform over the possible ones
 *     visible       the line, the variables there, the command; not the arguments
 *     known         P(answer) = how many of the arguments that fit the visible part lead to it / how many fit
 *
 * Forward, all that fit lead to the same answer. Backward they may not: below `a %= 2` there are as many answers as possible earlier
 * values of `a`. If all are equally likely, the best guess is right with probability 1 / |preimage|.
 */

import type { Rng } from "../../core/rng.ts";
import { type Moment, runCalled } from "../branches/interpret.ts";
import type { Line } from "../branches/syntax.ts";
import { type CommandName, landing, linesJumped, namesLine } from "./moves.ts";
import { changesBetween, stopPieces } from "./vocabulary.ts";

export interface DebuggerQuestion {
  readonly command: CommandName;
  /** For commands with a line number; else 0. */
  readonly line: number;
  readonly from: Moment;
  readonly to: Moment;
}

/** After so many failed draws of arguments, moment and line, the command counts as impossible in the program. */
const MOST_DRAWS = 60;

/** A question with one of the commands; undefined if none was found. */
export function drawQuestion(
  rng: Rng,
  lines: readonly Line[],
  commands: readonly CommandName[],
  { variables, starts }: { readonly variables: number; readonly starts: number },
): DebuggerQuestion | undefined {
  const command = commands[rng.below(commands.length)];
  // The bounds do not depend on the arguments, so only impossible questions are excluded. A line runs at most once; a function has a
  // call instead of its first line, and an additional return.
  const mostMoments = lines.length + lines.filter(({ op }) => op === "return").length;
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const given = Array.from({ length: variables }, () => rng.below(starts));
    const at = rng.below(mostMoments);
    const line = namesLine(command) ? 1 + rng.below(lines.length) : 0;
    const moments = runCalled(lines, "f", given);
    if (at >= moments.length) continue;
    const to = landing(moments, at, command, line);
    if (to !== undefined) return { command, line, from: moments[at], to: moments[to] };
  }
  return undefined;
}

export function answerPieces({ from, to }: Pick<DebuggerQuestion, "from" | "to">): string[] {
  return stopPieces(to, changesBetween(from.values, to.values));
}

/** A run, and the positions of each stop, by its text. */
interface KnownRun {
  readonly moments: readonly Moment[];
  readonly stops: ReadonlyMap<string, number>;
}

/** The runs with all possible arguments. */
export function everyRun(
  lines: readonly Line[],
  { variables, starts }: { readonly variables: number; readonly starts: number },
): KnownRun[] {
  return Array.from({ length: starts ** variables }, (_, i) => {
    const given = Array.from({ length: variables }, (_, k) => Math.floor(i / starts ** k) % starts);
    const moments = runCalled(lines, "f", given);
    return {
      moments,
      stops: new Map(moments.map((moment, at) => [stopPieces(moment, moment.values).join(""), at])),
    };
  });
}

/** The visible part of a question. */
export interface Told extends Pick<DebuggerQuestion, "command" | "line"> {
  /** `line 6: {a: 4, b: 7}` */
  readonly stop: string;
}

/** The possible questions given the visible part: one for each choice of arguments that fits, all equally likely. */
export interface Fitting {
  readonly answer: string;
  readonly lines: number;
}

export function fitting(runs: readonly KnownRun[], told: Told): Fitting[] {
  return runs.flatMap(({ moments, stops }) => {
    const at = stops.get(told.stop);
    const to = at === undefined ? undefined : landing(moments, at, told.command, told.line);
    if (at === undefined || to === undefined) return [];
    const answer = answerPieces({ from: moments[at], to: moments[to] }).join("");
    return [{ answer, lines: linesJumped(moments, at, to) }];
  });
}

/** The probability of each answer, by its text. */
export function sharesOf(fit: readonly Fitting[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { answer } of fit) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return new Map([...counts].map(([answer, count]) => [answer, count / fit.length]));
}
