/**
 * @file A trace as text.
 *
 *     aligned                                    states
 *     n = 2                  n = 2               n = 2
 *     total = 0              total = 0           {"n": 2}
 *     i = next(forloop0)     i = 0               total = 0
 *     total += i                                 {"n": 2, "total": 0}
 *
 * `aligned` shows the variables that a line changed beside it, the first 1,000 characters of each; `states` writes the whole state, in Python's own notation,
 * under each line; `code` is the trace alone and `jsonl` the record.
 */

import { recordForFile, type State, type TraceRecord } from "../records/trace.ts";
import { stateLiterals } from "./literal.ts";
import { visible, visibleLines } from "./visible.ts";

export const traceFormats = ["code", "states", "jsonl"] as const;
export type TraceFormat = (typeof traceFormats)[number];

export function renderTrace(record: TraceRecord, format: TraceFormat): string {
  switch (format) {
    case "code":
      return record.code;
    case "states":
      return record.lines.map(({ code, state }) => `${code}\n${stateText(state)}\n`).join("");
    case "jsonl":
      return `${JSON.stringify(recordForFile(record))}\n`;
    default:
      return format satisfies never;
  }
}

/** `{"n": 2, "xs": [1]}`: a state as one line. */
export function stateText(state: State | null): string {
  if (state === null) return "{}";
  const literals = stateLiterals(state);
  return `{${Object.keys(state)
    .map((name) => `${JSON.stringify(name)}: ${literals[name]}`)
    .join(", ")}}`;
}

/** The variables that are new or different, with their literals, and those that are gone. */
export function changes(
  before: State | null,
  after: State | null,
): { readonly set: readonly (readonly [name: string, literal: string])[]; readonly gone: readonly string[] } {
  if (after === null) return { set: [], gone: [] };
  const old = stateLiterals(before ?? {});
  const now = stateLiterals(after);
  return {
    set: Object.keys(after).flatMap((name) => (now[name] === old[name] ? [] : [[name, now[name]] as const])),
    gone: Object.keys(before ?? {}).filter((name) => !Object.hasOwn(after, name)),
  };
}

export interface AlignedOptions {
  /** The widest column of code; longer lines push their changes to the right. */
  readonly width?: number;
  /** Colours the changes, and dims the helper lines. */
  readonly paint?: (style: "cyan" | "dim", text: string) => string;
}

const LONGEST = 1_000;

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}... (${text.length} characters)`;
}

/** One line of the trace a row, with what it changed; safe for a terminal. */
export function renderAligned(record: TraceRecord, options: AlignedOptions = {}): string {
  const { width = 48, paint = (_, text) => text } = options;
  const rows = record.lines.map(({ code, helper, state }, i) => {
    const { set, gone } = changes(record.lines[i - 1]?.state ?? null, state);
    const texts = [
      ...set.map(([name, value]) => `${name} = ${cut(value)}`),
      ...gone.map((name) => `${name} gone`),
    ];
    return { lines: visibleLines(code).split("\n"), helper, change: visible(texts.join("; ")) };
  });
  const longest = Math.max(
    0,
    ...rows.flatMap(({ lines, change }) => (change === "" ? [] : [lines.at(-1)!.length])),
  ); // split gives one at least
  const column = Math.min(width, longest);
  return rows
    .flatMap(({ lines, helper, change }) =>
      lines.map((line, i) => {
        const code = helper ? paint("dim", line) : line;
        if (i < lines.length - 1 || change === "") return code;
        return `${code}${" ".repeat(Math.max(0, column - line.length))}  # ${paint("cyan", change)}`;
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}
