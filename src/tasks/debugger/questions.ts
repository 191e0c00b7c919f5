/**
 * @file Questions about a program, and what can be known of their answers.
 *
 *     a question    arguments, a moment of the run with them, a command: all that are possible alike
 *     told          the place, the variables there, the command; not the arguments
 *     known         P(answer) = how many of the arguments that fit what is told lead to it / how many fit
 *
 * Forwards all that fit lead to the same answer. Backwards they may not: below `a %= 2` there are as many answers as `a` could have been.
 * Where each is as likely as any other the best guess is right once in their number, 1 / |preimage|.
 */

import type { Rng } from "../../core/rng.ts";
import { type Moment, runCalled } from "../branches/interpret.ts";
import type { Line } from "../branches/syntax.ts";
import { type CommandName, landing, linesJumped, namesLine } from "./moves.ts";
import { changesBetween, stopPieces } from "./vocabulary.ts";

export interface DebuggerQuestion {
  readonly command: CommandName;
  /** Of commands that name one; else 0. */
  readonly line: number;
  readonly from: Moment;
  readonly to: Moment;
}

/** So often arguments, moment and line are drawn; then the command is taken not to be possible in the program. */
const MOST_DRAWS = 60;

/** A question with one of the commands; undefined where none was found. */
export function drawQuestion(
  rng: Rng,
  lines: readonly Line[],
  commands: readonly CommandName[],
  { variables, starts }: { readonly variables: number; readonly starts: number },
): DebuggerQuestion | undefined {
  const command = commands[rng.below(commands.length)];
  // No bound depends on the arguments, so that what is not possible is all that is left out. A line runs once at most; a
  // function has a call in place of its first, and a return besides.
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

/** A run, and where in it each stop is, by its text. */
export interface KnownRun {
  readonly moments: readonly Moment[];
  readonly stops: ReadonlyMap<string, number>;
}

/** The runs with all arguments that there are. */
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

/** What is told of a question. */
export interface Told extends Pick<DebuggerQuestion, "command" | "line"> {
  /** `line 6: {a: 4, b: 7}` */
  readonly stop: string;
}

/** What a question may be, given what is told: one for each choice of arguments that fits, all equally likely. */
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
