/**
 * @file Replies of the debugger as text, in the manner of `pdb`.
 *
 *     > f(2)  line 3 of f, moment 9 of 24
 *     ->     total += i
 *        i = 1  (was 0)
 *
 * Values and lines are a program's: who prints them makes them safe for a terminal.
 */

import type { Origin } from "./provenance.ts";
import type { ConditionFailure, Reply, StackFrame, Stop, Written } from "./session.ts";
import type { Breakpoint } from "./stepping.ts";

const LONGEST = 300;
const SHOWN_CALLS = 10;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}... (${text.length} characters)`;
}

/** Without a trailing newline; "" for a reply without text. */
export function renderReply(reply: Reply): string {
  switch (reply.kind) {
    case "stop":
      return stopText(reply);
    case "value":
      return reply.value;
    case "listing": {
      const width = String(reply.lines.at(-1)?.line ?? 0).length;
      const rows = reply.lines.map(({ line, text, current, breakpoint }) => {
        const marks = `${breakpoint ? "B" : " "}${current ? "->" : "  "}`;
        return `${String(line).padStart(width)} ${marks} ${text}`.trimEnd();
      });
      return rows.join("\n");
    }
    case "stack":
      return stackText(reply.frames);
    case "variables": {
      const rows = Object.entries(reply.variables).map(([name, value]) => `${name} = ${cut(value)}`);
      return rows.length === 0 ? `${reply.of} has none` : rows.join("\n");
    }
    case "breakpoints":
      return reply.breakpoints.length === 0
        ? "no breakpoints"
        : reply.breakpoints.map(breakpointText).join("\n");
    case "displays":
      return reply.displays.length === 0 ? "no displays" : displaysText(reply.displays);
    case "origin":
      return originText(reply.origin, 0).join("\n");
    case "writes":
      return [
        ...reply.writes.map((write) => writeText(reply.name, write)),
        ...(reply.partial ? [`${reply.name} is recorded in part; changes to the rest are not shown`] : []),
      ].join("\n");
    case "aliases":
      return reply.aliases.length === 0
        ? "no aliases"
        : reply.aliases
            .map(({ places, value }) => `${places.map(placeText).join(", ")}: one object, ${cut(value)}`)
            .join("\n");
    case "said":
      return reply.words;
    case "refused":
      return `*** ${reply.words}`;
    case "quit":
      return "";
    default:
      return reply satisfies never;
  }
}

/** For a deep stack: the outermost and innermost calls, and the selected one. */
function stackText(frames: readonly StackFrame[]): string {
  const rows: string[] = [];
  let left = 0;
  for (const [i, frame] of frames.entries()) {
    if (
      frames.length > 2 * SHOWN_CALLS &&
      i >= SHOWN_CALLS &&
      i < frames.length - SHOWN_CALLS &&
      !frame.selected
    ) {
      left++;
      continue;
    }
    if (left > 0) rows.push(`  ... ${left} more calls`);
    left = 0;
    rows.push(`${frame.selected ? ">" : " "} ${at(frame)}\n->  ${frame.source}`);
  }
  return rows.join("\n");
}

const at = ({ function: name, line }: { readonly function: string; readonly line: number }) =>
  name === "" ? "the call" : `line ${line} of ${name}`;

const placeText = ({ function: name, path }: { readonly function: string; readonly path: string }) =>
  `${path} of ${name}`;

const events = { call: "--Call--", line: "", return: "--Return--", exception: "--Exception--" } as const;

function stopText(stop: Stop): string {
  const { event, ended, value, unwinding, exception, breakpoint, changed, printed, displays } = stop;
  const above = [
    ...(printed === "" ? [] : printed.replace(/\n$/, "").split("\n")),
    ...(stop.failures ?? []).map((failure) => `*** ${failureText(failure)}`),
  ];
  if (ended !== undefined) return [...above, `The run ends: ${cut(ended)}`].join("\n");
  const what = [
    stop.yields ? "--Yield--" : events[event],
    breakpoint === undefined ? "" : `breakpoint ${breakpoint}`,
    value === undefined ? "" : `value ${cut(value)}`,
    unwinding ? "by the exception" : "",
    exception ?? "",
  ];
  const said = what.filter((part) => part !== "").join(" ");
  return [
    ...above,
    ...(said === "" ? [] : [said]),
    `> ${at(stop)}, moment ${stop.moment} of ${stop.moments - 1}`,
    `-> ${stop.source}`,
    ...changed.map(({ name, before, after }) => `   ${changeText(name, before, after)}`),
    ...(displays.length === 0 ? [] : [displaysText(displays)]),
  ].join("\n");
}

/** `the condition x > 1 could not be computed at 3 moments, first at moment 4, line 2: NameError: ...` */
export function failureText({ condition, moments, moment, line, reason }: ConditionFailure): string {
  const where = moments === 1 ? "at" : `at ${moments} moments, first at`;
  return `the condition ${condition} could not be computed ${where} moment ${moment}, line ${line}: ${reason}`;
}

function changeText(name: string, before: string | null, after: string | null): string {
  if (after === null) return `${name} is gone (was ${cut(before ?? "")})`;
  return before === null ? `${name} = ${cut(after)}` : `${name} = ${cut(after)}  (was ${cut(before)})`;
}

function displaysText(displays: Stop["displays"]): string {
  return displays
    .map(({ expression, value, before }) => {
      const old = before === undefined ? "" : `  [old: ${cut(before)}]`;
      return `display ${expression}: ${cut(value)}${old}`;
    })
    .join("\n");
}

function breakpointText({ number, line, function: name, temporary, enabled, condition }: Breakpoint): string {
  const place = name === undefined ? `line ${line}` : `${name}, line ${line}`;
  const kind = `${temporary ? ", once" : ""}${enabled ? "" : ", disabled"}`;
  return `breakpoint ${number} at ${place}${kind}${condition === undefined ? "" : `, only if ${condition}`}`;
}

function originText(origin: Origin, level: number): string[] {
  const { name, value, kind, moment, source, changed, from } = origin;
  const word = { bound: "by", argument: "passed by", returned: "returned by" }[kind];
  const indent = "  ".repeat(level);
  const later =
    changed === undefined
      ? []
      : [`${indent}  changed since at moment ${changed.moment} by ${at(changed)}: ${changed.source}`];
  return [
    `${indent}${name} = ${cut(value)}  ${word} ${at(origin)}, moment ${moment}: ${source}`,
    ...later,
    ...from.flatMap((part) => originText(part, level + 1)),
  ];
}

function writeText(name: string, { kind, moment, source, before, after, ...place }: Written): string {
  const what = kind === "argument" ? "argument of" : kind === "unbound" ? "deleted by" : `${kind} by`;
  return `${changeText(name, before, after)}  ${what} ${at(place)}, moment ${moment}: ${source}`;
}
