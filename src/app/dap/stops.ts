/**
 * @file The moments at which breakpoints of an editor stop, computed over the whole recording. A hit count is then the
 * same in both directions.
 *
 *     line 5, condition n > 1, hit count %2     moments [12, 20]
 *     data breakpoint on total                  forwards after each change, backwards at the line that makes it
 */

import { LabError } from "../../core/error.ts";
import { listWrites, type Recording } from "../../python/debugger/index.ts";
import { textAt } from "../../python/debugger/provenance.ts";
import { Conditions, expressionProblem } from "../../python/debugger/queries.ts";
import { failureText } from "../../python/debugger/render.ts";
import { breakpointAt, firstLine } from "../../python/debugger/stepping.ts";

export interface Stops {
  /** In increasing order. */
  readonly moments: readonly number[];
  /** The moments for backward moves, if they differ. */
  readonly backwards?: readonly number[];
  readonly reason: "breakpoint" | "function breakpoint" | "data breakpoint" | "exception";
  readonly ids: readonly number[];
  /** What happened there. */
  readonly words?: (moment: number, forwards: boolean) => string;
  /** Prints this text instead of stopping; `{x}` is replaced by the value of x. */
  readonly log?: string;
  /** A condition that could not be computed somewhere. */
  readonly warning?: string;
}

export interface Place {
  readonly line: number;
  readonly function?: string;
}
export interface Limits {
  readonly condition?: string | undefined;
  readonly hitCondition?: string | undefined;
  readonly logMessage?: string | undefined;
}

/** The line of the first statement from `line` on. @throws LabError if there is none. */
export function statementLine(run: Recording, line: number): number {
  let found = Number.POSITIVE_INFINITY;
  const consider = (each: number) => {
    if (each >= line) found = Math.min(found, each);
  };
  for (const each of run.record.statements) consider(each.line);
  for (const each of run.events) if (each.event === "line") consider(each.line);
  if (Number.isFinite(found)) return found;
  throw new LabError(`line ${line} has no statement, nor has a later line`);
}

/** @throws LabError if no function of this name ran. */
export function functionPlace(run: Recording, name: string): Place {
  const line = firstLine(run, name);
  if (line !== undefined) return { line, function: name };
  throw new LabError(`no function ${name} ran in this recording`);
}

/** @throws LabError for a condition that is no expression, or a hit count that is none */
export function stopsAtPlace(run: Recording, place: Place, limits: Limits, id: number): Stops {
  const { condition, hitCondition, logMessage } = limits;
  const problem = condition && expressionProblem(condition);
  if (problem) throw new LabError(`the condition ${condition}: ${problem}`);
  const counts = hits(hitCondition);
  const conditions = new Conditions(run);
  const breakpoint = {
    ...{ ...place, number: id, temporary: false, enabled: true },
    ...(condition && { condition }),
  };
  const moments = run.events.flatMap((_, moment) =>
    breakpointAt(run, moment, [breakpoint], conditions.holds) === undefined ? [] : [moment],
  );
  const [failure] = conditions.failures;
  return {
    moments: moments.filter((_, i) => counts(i + 1)),
    reason: place.function === undefined ? "breakpoint" : "function breakpoint",
    ids: [id],
    ...(logMessage && { log: logMessage }),
    ...(failure !== undefined && { warning: failureText(failure) }),
  };
}

/** `3` or `== 3`, `> 3`, `>= 3`, `< 3`, `<= 3`, `% 3` for every third. */
function hits(text = ""): (count: number) => boolean {
  if (text.trim() === "") return () => true;
  const [, sign = "==", digits = ""] = /^\s*(==?|>=?|<=?|%)?\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const bound = Number(digits);
  if (digits === "" || (sign === "%" && bound === 0))
    throw new LabError(`the hit count ${text} is not one of 3, > 3, >= 3, < 3, <= 3, % 3`);
  switch (sign) {
    case ">":
      return (count) => count > bound;
    case ">=":
      return (count) => count >= bound;
    case "<":
      return (count) => count < bound;
    case "<=":
      return (count) => count <= bound;
    case "%":
      return (count) => count % bound === 0;
    default:
      return (count) => count === bound;
  }
}

/** The changes of a variable by its key, `1.total`. Backwards, it stops before the line that makes the change. */
export function stopsAtChanges(run: Recording, key: string, limits: Limits, id: number): Stops {
  const { condition } = limits;
  const counts = hits(limits.hitCondition);
  const problem = condition && expressionProblem(condition);
  if (problem) throw new LabError(`the condition ${condition}: ${problem}`);
  const { holds } = new Conditions(run);
  const name = key.slice(key.indexOf(".") + 1);
  const changes = listWrites(run, key)
    .filter(({ before, after, moment }) => before !== after && (!condition || holds(condition, moment)))
    .filter((_, i) => counts(i + 1));
  if (changes.length === 0)
    throw new LabError(`the variable ${short(name)} does not change so in this recording`);
  const words = (moment: number, forwards: boolean) => {
    const found = changes.filter((each) => (forwards ? each.moment : each.began) === moment).at(-1);
    if (found === undefined) return name;
    const by = found.by === null ? "the call" : `line ${found.line} of ${found.by.function}`;
    const [before, after] = [found.before ?? "unset", found.after ?? "unset"].map((text) => short(text));
    return `${name}: ${before} → ${after}, by ${by}: ${textAt(run, found.line) || run.record.call}`;
  };
  return {
    ...{ moments: changes.map(({ moment }) => moment), backwards: changes.map(({ began }) => began) },
    ...{ reason: "data breakpoint", ids: [id], words },
  };
}

export const short = (text: string, most = 80): string =>
  text.length > most ? `${text.slice(0, most)}... (${text.length} characters)` : text;

export const exceptionFilters = [
  { filter: "raised", label: "Raised exceptions", default: false },
  { filter: "uncaught", label: "Uncaught exceptions", default: true },
];

export function stopsAtExceptions(run: Recording, filters: readonly string[]): Stops {
  const uncaught = uncaughtMoment(run);
  const moments = run.events.flatMap(({ event }, moment) => {
    const chosen =
      filters.includes("raised") && !isPropagated(run, moment)
        ? event === "exception"
        : filters.includes("uncaught") && moment === uncaught;
    return chosen ? [moment] : [];
  });
  return { moments, reason: "exception", ids: [], words: (moment) => exceptionWords(run, moment) };
}

export function exceptionWords(run: Recording, moment: number): string {
  const { type = "", message = "" } = run.events[moment].exception ?? {};
  return message === "" ? type : `${type}: ${message}`;
}

/** The exception left a callee: the event before is that call's end. */
const isPropagated = (run: Recording, moment: number): boolean =>
  run.events[moment - 1]?.unwinding === true && run.stackAt(moment - 1).below === run.stackAt(moment);

/** The moment that raises the exception by which the run ends; undefined for another end. */
export function uncaughtMoment(run: Recording): number | undefined {
  let origin: number | undefined;
  let last = run.length - 1;
  while (run.events[last]?.unwinding === true) {
    const { activation } = run.events[last];
    const raised = run
      .momentsOf(activation)
      .findLast((moment) => moment < last && run.events[moment].event === "exception");
    if (raised === undefined) return origin;
    origin = raised;
    if (!isPropagated(run, raised)) return origin;
    last = raised - 1;
  }
  return origin;
}
