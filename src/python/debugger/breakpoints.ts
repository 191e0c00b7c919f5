/** @file Sets, lists and clears breakpoints, with pdb's error messages. */

import { expressionProblem } from "./queries.ts";
import { type Executed, type Reply, refused, type Session } from "./session.ts";
import { type Breakpoint, firstLine } from "./stepping.ts";

export const listBreakpoints = ({ breakpoints }: Session): Reply => ({ kind: "breakpoints", breakpoints });

/** `12`, `12, i == 3`, `f`, `f, n > 2`. */
export function setBreakpoint(session: Session, argument: string, temporary: boolean): Executed {
  const [, place, condition] = /^([^,]*?)\s*(?:,\s*([\s\S]+))?$/.exec(argument) ?? [];
  const found = placeOf(session, place ?? argument);
  if (typeof found === "string") return refused(session, found);
  const wrong = condition && expressionProblem(condition);
  if (wrong) return refused(session, wrong);
  const { number } = session;
  const made: Breakpoint = {
    number,
    ...found,
    temporary,
    enabled: true,
    ...(condition !== undefined && { condition }),
  };
  const breakpoints = [...session.breakpoints, made];
  return {
    session: { ...session, breakpoints, number: number + 1 },
    reply: { kind: "breakpoints", breakpoints: [made] },
  };
}

function placeOf(
  { run }: Session,
  place: string,
): { readonly line: number; readonly function?: string } | string {
  if (/^\d+$/.test(place)) {
    const line = Number(place);
    const text = run.lines[line - 1];
    if (text === undefined) return `expected a line from 1 to ${run.lines.length}, got ${place}`;
    return /^\s*(#.*)?$/.test(text) ? `line ${place} is blank or a comment` : { line };
  }
  const line = firstLine(run, place);
  if (line !== undefined) return { line, function: place };
  return `expected a line or a function that ran, got ${place || "nothing"}`;
}

/** The named breakpoints, or the first unknown name. */
function chosen({ breakpoints }: Session, argument: string): readonly Breakpoint[] | string {
  const found: Breakpoint[] = [];
  for (const text of argument.split(/[\s,]+/)) {
    const breakpoint = breakpoints.find(({ number }) => String(number) === text);
    if (breakpoint === undefined) return `expected the number of a breakpoint, got ${text || "nothing"}`;
    found.push(breakpoint);
  }
  return found;
}

export function clearBreakpoints(session: Session, argument: string): Executed {
  const gone = argument === "" ? session.breakpoints : chosen(session, argument);
  if (typeof gone === "string") return refused(session, gone);
  const breakpoints = session.breakpoints.filter((each) => !gone.includes(each));
  return { session: { ...session, breakpoints }, reply: { kind: "breakpoints", breakpoints } };
}

export function changeBreakpoints(session: Session, argument: string, enabled: boolean): Executed {
  const found = chosen(session, argument);
  if (typeof found === "string") return refused(session, found);
  const breakpoints = session.breakpoints.map((each) => (found.includes(each) ? { ...each, enabled } : each));
  return { session: { ...session, breakpoints }, reply: { kind: "breakpoints", breakpoints } };
}

export function setCondition(session: Session, argument: string): Executed {
  const [, number = "", condition] = /^(\S*)\s*([\s\S]+)?$/.exec(argument) ?? [];
  const found = chosen(session, number);
  if (typeof found === "string") return refused(session, found);
  const wrong = condition && expressionProblem(condition);
  if (wrong) return refused(session, wrong);
  const breakpoints = session.breakpoints.map((each): Breakpoint => {
    if (!found.includes(each)) return each;
    const { condition: _, ...rest } = each;
    return condition === undefined ? rest : { ...rest, condition };
  });
  return { session: { ...session, breakpoints }, reply: { kind: "breakpoints", breakpoints } };
}
