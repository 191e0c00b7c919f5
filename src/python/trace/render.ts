/**
 * @file Formats of traces as text.
 *
 *     aligned                                      states
 *     1  n = 2                  # n = 2            n = 2
 *     2  total = 0              # total = 0        {"n": 2}
 *     3  i = next(forloop0)     # i = 0            total = 0
 *     4  total += i             # total unchanged  {"n": 2, "total": 0}
 *
 * `aligned` shows the source line number before each line and the changed variables after it, up to 200 characters
 * each, and the output at the end; `states` writes the whole state in Python notation under each line; `code` is only
 * the trace and `jsonl` the record.
 */

import { recordForFile, type State, type TraceRecord } from "../../schemas/trace.ts";
import { stateLiterals } from "../values/repr.ts";
import { visible, visibleLines } from "./terminal.ts";

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

const LONGEST = 200;
/** `total += i`, with any value. */
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\s*:[^=]+)?\s*(?:[-+*/%@&|^]|\*\*|\/\/|<<|>>)?=(?!=)/;

function cut(text: string, times = 1): string {
  const most = LONGEST * times;
  return text.length <= most ? text : `${text.slice(0, most)}... (${text.length} characters)`;
}

/** One line of the trace a row, with what it changed; safe for a terminal. */
export function renderAligned(record: TraceRecord, options: AlignedOptions = {}): string {
  const { width = 48, paint = (_, text) => text } = options;
  const rows = record.lines.map(({ code, helper, line, state }, i) => {
    const before = record.lines[i - 1]?.state ?? null;
    const { set, gone } = changes(before, state);
    const target = ASSIGNMENT.exec(code)?.[1] ?? "";
    const isSame =
      Object.hasOwn(state ?? {}, target) &&
      Object.hasOwn(before ?? {}, target) &&
      !set.some(([name]) => name === target);
    const texts = [
      ...set.map(([name, value]) => `${name} = ${cut(value)}`),
      ...(isSame ? [`${target} unchanged`] : []),
      ...gone.map((name) => `${name} gone`),
    ];
    return { lines: visibleLines(code).split("\n"), helper, line, change: visible(cut(texts.join("; "), 2)) };
  });
  const longest = Math.max(
    0,
    ...rows.flatMap(({ lines, change }) => (change === "" ? [] : [lines.at(-1)!.length])),
  ); // split gives one at least
  const column = Math.min(width, longest);
  const digits = Math.max(...rows.map(({ line }) => String(line ?? "").length));
  const printed =
    record.output === undefined
      ? []
      : ["printed:", ...visibleLines(record.output.replace(/\n$/, "")).split("\n")];
  return rows
    .flatMap(({ lines, helper, line, change }) =>
      lines.map((text, i) => {
        const number = paint("dim", String((i === 0 ? line : null) ?? "").padStart(digits));
        const code = `${number}  ${helper ? paint("dim", text) : text}`;
        if (i < lines.length - 1 || change === "") return code;
        return `${code}${" ".repeat(Math.max(0, column - text.length))}  # ${paint("cyan", change)}`;
      }),
    )
    .concat(printed)
    .map((line) => `${line}\n`)
    .join("");
}
