/**
 * @file Random access to a recorded run: the call stack and all variables at each moment.
 *
 *     const run = openRecording(record);
 *     run.stackAt(12)      { activation: 3, function: "g", below: { activation: 1, function: "f", ... } }
 *     run.locals(12, 1)    { n: 2, xs: [0] }
 *
 * A moment is the number of an event. Queries in both directions read the same record.
 */

import { fail } from "../../core/error.ts";
import type { HistoryEvent, HistoryRecord, Statement } from "../../schemas/execution-trace.ts";
import type { PythonValue, State } from "../../schemas/python-value.ts";
import { ChangedStates } from "../../schemas/state-diff.ts";
import { stateLiterals } from "../values/repr.ts";

/** One call under way, and those that it was called from. */
export interface Frame {
  readonly activation: number;
  readonly function: string;
  readonly generator: boolean;
  readonly below: Frame | null;
  /** 0 for the outermost. */
  readonly depth: number;
}

export const MODULE = 0;

export class Recording {
  readonly record: HistoryRecord;
  readonly events: readonly HistoryEvent[];
  /** Lines of the source, from 0. */
  readonly lines: readonly string[];
  readonly #states: ChangedStates;
  readonly #at: readonly (Frame | null)[];
  readonly #after: readonly (Frame | null)[];
  /** The moments of each activation, in order. */
  readonly #moments = new Map<number, number[]>();
  readonly #statements = new Map<number, Statement[]>();
  #characters: string | readonly string[] | undefined;

  constructor(record: HistoryRecord) {
    this.record = record;
    this.events = record.events;
    this.lines = record.source.split(/\r\n|\r|\n/);
    this.#states = new ChangedStates(record.events);
    const { at, after } = stacksOf(record.events);
    this.#at = at;
    this.#after = after;
    for (const [moment, { activation }] of record.events.entries()) {
      const known = this.#moments.get(activation);
      if (known === undefined) this.#moments.set(activation, [moment]);
      else known.push(moment);
    }
    for (const statement of record.statements) {
      const last = Math.min(statement.end, this.lines.length);
      for (let line = statement.line; line <= last; line++) {
        const known = this.#statements.get(line);
        if (known === undefined) this.#statements.set(line, [statement]);
        else known.push(statement);
      }
    }
  }

  get length(): number {
    return this.events.length;
  }

  /** The active calls at the event, innermost first. */
  stackAt(moment: number): Frame {
    return this.#at[moment]!; // every event has a frame, or the constructor failed
  }

  /** The frame that runs between this event and the next; null after the last call has ended. */
  runningAfter(moment: number): Frame | null {
    return this.#after[moment];
  }

  /** The current line of an active call: that of its last event. */
  lineOf(moment: number, activation: number): number {
    const found = this.#lastMoment(moment, activation);
    return found === undefined ? 0 : this.events[found].line;
  }

  /** The moment of an activation's last event up to `moment`. */
  #lastMoment(moment: number, activation: number): number | undefined {
    const moments = this.#moments.get(activation) ?? [];
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (moments[middle] <= moment) low = middle + 1;
      else high = middle;
    }
    return moments[low - 1];
  }

  /** Whether a return is a generator's yield: it is resumed, or its line contains `yield`. */
  yieldsAt(moment: number): boolean {
    const { activation, line, unwinding } = this.events[moment];
    if (!this.stackAt(moment).generator || unwinding === true) return false;
    const isResumed = this.momentsOf(activation).at(-1) !== moment;
    return isResumed || /\b(?:yield|await)\b/.test(this.lines[line - 1] ?? "");
  }

  momentsOf(activation: number): readonly number[] {
    return this.#moments.get(activation) ?? [];
  }

  /** The statements on a line, outermost first; only the header of compound statements. */
  statementsAt(line: number): readonly Statement[] {
    return this.#statements.get(line) ?? [];
  }

  /** All variables by key, `1.n`; null after the limit on all states. */
  stateAt(moment: number): State | null {
    return this.#states.after(moment);
  }

  /** The variables of one activation, by name; of the module, its own. */
  locals(moment: number, activation: number): State {
    return ofActivation(this.stateAt(moment) ?? {}, activation);
  }

  /** The same as Python writes them. */
  localLiterals(moment: number, activation: number): Record<string, string> {
    return ofActivation(this.literals(moment), activation);
  }

  /** Every variable as Python writes it, by key. */
  literals(moment: number): Readonly<Record<string, string>> {
    return stateLiterals(this.stateAt(moment) ?? {});
  }

  /** The key of a name as a function sees it: its own, else the module's; undefined where neither is bound. */
  keyOf(moment: number, activation: number, name: string): string | undefined {
    const state = this.stateAt(moment) ?? {};
    return [`${activation}.${name}`, `${MODULE}.${name}`].find((key) => Object.hasOwn(state, key));
  }

  /** The same for a name that has a value at any moment: it may be deleted, or not yet bound. */
  keyEver(activation: number, name: string): string | undefined {
    return [`${activation}.${name}`, `${MODULE}.${name}`].find((key) =>
      this.events.some((_, moment) => this.valueOf(moment, key) !== undefined),
    );
  }

  valueOf(moment: number, key: string): PythonValue | undefined {
    const state = this.stateAt(moment);
    return state !== null && Object.hasOwn(state, key) ? state[key] : undefined;
  }

  /** The output between two moments; up to the first if the second is earlier. */
  printed(from: number, to: number): string {
    const [start, end] = [
      this.events[from]?.printed ?? 0,
      this.events[to]?.printed ?? Number.POSITIVE_INFINITY,
    ];
    if (end <= start) return "";
    // counted in Python's characters
    this.#characters ??= /[\ud800-\udfff]/.test(this.record.output)
      ? [...this.record.output]
      : this.record.output;
    const part = this.#characters.slice(start, end);
    return typeof part === "string" ? part : part.join("");
  }
}

/** The entries of one activation among those by key, `1.n`. */
function ofActivation<T>(entries: Readonly<Record<string, T>>, activation: number): Record<string, T> {
  const prefix = `${activation}.`;
  const own = Object.entries(entries).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** @throws LabError (corrupt) where calls and returns do not nest, or nothing was recorded. */
export function openRecording(record: HistoryRecord, at = "debug"): Recording {
  if (record.events.length === 0)
    fail(at, "a run with at least one event", record.reason ?? "none", undefined, "corrupt");
  if (record.began > record.events.length)
    fail(at, `a call that began within ${record.events.length} events`, record.began, undefined, "corrupt");
  return new Recording(record);
}

/** For each event its frame, and the frame that runs next. */
function stacksOf(events: readonly HistoryEvent[]) {
  const at: Frame[] = [];
  const after: (Frame | null)[] = [];
  let top: Frame | null = null;
  for (const [moment, { event, activation, function: name, generator = false }] of events.entries()) {
    if (event === "call") {
      top = { activation, function: name, generator, below: top, depth: top === null ? 0 : top.depth + 1 };
    } else {
      while (top !== null && top.activation !== activation) top = top.below;
    }
    if (top === null)
      return fail("a history", `event ${moment} of a call under way`, activation, undefined, "corrupt");
    at.push(top);
    if (event === "return") top = top.below;
    after.push(top);
  }
  return { at, after };
}

/** The frames of a stack, the innermost first. */
export function frameStack(top: Frame | null): Frame[] {
  const frames: Frame[] = [];
  for (let frame = top; frame !== null; frame = frame.below) frames.push(frame);
  return frames;
}
