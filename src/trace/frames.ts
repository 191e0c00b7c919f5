/**
 * @file Frames: the text on which code world models are trained, "locals and action". Each frame gives the local variables,
 * those that did not change elided, and then the source line that runs next.
 *
 *     <|frame_sep|><|call_sep|>{"n": "2"}<|action_sep|>def f(n):
 *     <|frame_sep|><|line_sep|>{"n": ".."}<|action_sep|>    m = n + 1
 *     <|frame_sep|><|line_sep|>{"n": "..", "m": "3"}<|action_sep|>    return m
 *     <|frame_sep|><|return_sep|>{"n": "..", "m": ".."}<|action_sep|>    return m<|arg_sep|>"3"
 *     <|frame_sep|>
 *
 * Locals are written as text, by Python's own notation. A variable counts as changed against the frame before of the same call.
 */

import type { LineRecord, State, TraceRecord } from "../records/trace.ts";
import { pythonLiteral, stateLiterals } from "./literal.ts";

export interface Frame {
  readonly event: "call" | "line" | "return" | "exception";
  readonly locals: State;
  /** The state that the locals are elided against; null for all of them. */
  readonly before: State | null;
  readonly action: string;
  /** What was returned or raised. */
  readonly argument?: string;
}

export const ELIDED = "..";

/** The frames of a straight-line trace: the state before each line, and the line. */
export function framesOfTrace({ lines, result, reason }: TraceRecord): Frame[] {
  const frames: Frame[] = lines.map(({ code }, i) => ({
    event: "line",
    locals: lines[i - 1]?.state ?? {},
    before: i > 1 ? (lines[i - 2].state ?? null) : null,
    action: code,
  }));
  const last = frames.pop();
  if (last === undefined) return [];
  return [
    ...frames,
    { ...last, event: "return", ...(reason === null && { argument: pythonLiteral(result) }) },
  ];
}

/** The frames of a line trace: its events from the first call of a function on, with the lines of the source. */
export function framesOfLines({ source, events }: LineRecord): Frame[] {
  const lines = source.split(/\r\n|\r|\n/);
  const before = new Map<number, State>();
  const frames: Frame[] = [];
  for (const event of events) {
    if (event.function === "<module>") continue;
    // a call and its return are noted outside the function, its lines inside
    const depth = event.event === "call" || event.event === "return" ? event.depth + 1 : event.depth;
    const argument =
      event.exception === undefined
        ? event.value === undefined
          ? undefined
          : pythonLiteral(event.value)
        : `${event.exception.type}: ${event.exception.message}`;
    frames.push({
      event: event.event,
      locals: event.state,
      before: event.event === "call" ? null : (before.get(depth) ?? null),
      action: lines[event.line - 1] ?? "",
      ...(argument !== undefined && { argument }),
    });
    before.set(depth, event.state);
  }
  return frames;
}

export function renderFrames(frames: readonly Frame[]): string {
  const texts = frames.map(({ event, locals, before, action, argument }) => {
    const literals = stateLiterals(locals);
    const old = stateLiterals(before ?? {});
    const shown = Object.keys(locals).map(
      (name) =>
        `${JSON.stringify(name)}: ${JSON.stringify(literals[name] === old[name] ? ELIDED : literals[name])}`,
    );
    const end = argument === undefined ? "" : `<|arg_sep|>${JSON.stringify(argument)}`;
    return `<|frame_sep|><|${event}_sep|>{${shown.join(", ")}}<|action_sep|>${action}${end}\n`;
  });
  return `${texts.join("")}<|frame_sep|>\n`;
}
