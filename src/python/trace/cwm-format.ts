/**
 * @file Frames: the text format of code world models, from PROMPTING_GUIDE.md of facebookresearch/cwm. The source has
 * a mark at the start of the trace; each frame is one event: local variables, unchanged ones elided, and the source
 * line.
 *
 *     <|begin_of_text|><|trace_context_start|>def f(n):  # << START_OF_TRACE
 *         return n + 1
 *     <|frame_sep|><|call_sep|>{"n": "2"}<|action_sep|>def f(n):<|frame_sep|><|line_sep|>{"n": ".."}<|action_sep|>    return n + 1
 *     <|frame_sep|><|return_sep|><|action_sep|>    return n + 1<|arg_sep|>"3"<|frame_sep|><|end_of_text|>
 *
 * (two line breaks added here). Values are text in Python notation. A variable is changed relative to the previous
 * frame of the same call. A call ended by an exception has no return.
 */

import type { LineRecord, State } from "../../schemas/trace.ts";
import { pythonLiteral, stateLiterals } from "../values/repr.ts";

interface Frame {
  readonly event: "call" | "line" | "return" | "exception";
  readonly locals: State;
  /** The state that the locals are elided against; null for all of them. */
  readonly before: State | null;
  /** A line of the source. */
  readonly action: string;
  /** The returned or raised value, in Python notation. */
  readonly argument?: string;
}

const ELIDED = "..";
const START = "  # << START_OF_TRACE";

const linesOf = (source: string) => source.split(/\r\n|\r|\n/);

/** The events of the call that the trace is of: the last that the module's own code, or the call's text, makes. */
function eventsOfCall({ events }: LineRecord): LineRecord["events"] {
  const began = events.findLastIndex((event) => event.function === "<module>") + 1;
  const first = events.findLastIndex(({ event, depth }, i) => i >= began && event === "call" && depth === 0);
  return first < 0 ? [] : events.slice(first);
}

/** The frames of a line trace, from its call on. */
function framesOfLines(record: LineRecord): Frame[] {
  const lines = linesOf(record.source);
  const before = new Map<number, State>();
  const frames: Frame[] = [];
  let passing: string | undefined; // the exception passing through a `try` that does not handle it
  for (const event of eventsOfCall(record)) {
    const last = frames.at(-1);
    if (event.unwinding && last?.event === "exception") continue;
    // a call and its return are noted outside the function, its lines inside
    const depth = event.event === "call" || event.event === "return" ? event.depth + 1 : event.depth;
    const argument =
      event.exception !== undefined
        ? raised(event.exception)
        : event.unwinding
          ? passing
          : event.value === undefined
            ? undefined
            : pythonLiteral(event.value);
    if (event.exception !== undefined) passing = argument;
    frames.push({
      event: event.unwinding ? "exception" : event.event,
      locals: event.state,
      before: event.event === "call" ? null : (before.get(depth) ?? null),
      action: lines[event.line - 1] ?? "",
      ...(argument !== undefined && { argument }),
    });
    before.set(depth, event.state);
  }
  return frames;
}

/** `KeyError('x', 1)` */
function raised({ type, message, arguments: given }: NonNullable<LineRecord["events"][number]["exception"]>) {
  const items =
    typeof given === "object" && given !== null && "tuple" in given
      ? given.tuple
      : message === ""
        ? []
        : [message];
  return `${type}(${items.map(pythonLiteral).join(", ")})`;
}

/** The prompt and the frames of a line trace: all that a code world model is to say of the call. */
export function renderFrames(record: LineRecord): string {
  const texts = framesOfLines(record).map(({ event, locals, before, action, argument }) => {
    const end = `<|action_sep|>${action}`;
    if (argument !== undefined)
      return `<|${event}_sep|>${end}<|arg_sep|>${JSON.stringify(argument)}<|frame_sep|>`;
    const literals = stateLiterals(locals);
    const old = stateLiterals(before ?? {});
    const shown = Object.keys(locals).map(
      (name) =>
        `${JSON.stringify(name)}: ${JSON.stringify(literals[name] === old[name] ? ELIDED : literals[name])}`,
    );
    return `<|${event}_sep|>{${shown.join(", ")}}${end}<|frame_sep|>`;
  });
  const entry = eventsOfCall(record)[0];
  const context = linesOf(record.source).map((line, i) => (i + 1 === entry?.line ? `${line}${START}` : line));
  return `<|begin_of_text|><|trace_context_start|>${context.join("\n")}<|frame_sep|>${texts.join("")}<|end_of_text|>\n`;
}
