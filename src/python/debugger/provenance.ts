/**
 * @file Provenance of values: every write of a variable in a recording, with the line that caused it.
 *
 *     4   xs = []             xs bound      []
 *     7   ys = xs
 *     9   ys.append(1)        xs changed    [1]       the same object under another name
 *
 * A variable is *bound* if the executed line assigns it (even its old value), and *changed* if its value differs
 * after a line that does not. Not detected: `:=`, `with` and `except` that bind an equal value, the last line of a
 * `finally`, and one of several statements on a line.
 */

import type { PythonValue } from "../../schemas/python-value.ts";
import { stateLiterals } from "../values/repr.ts";
import { type Frame, MODULE, type Recording } from "./recording.ts";

export interface Write {
  readonly kind: "bound" | "changed" | "argument" | "unbound";
  /** The first moment that shows it. */
  readonly moment: number;
  /** The frame that ran; null: the caller of the recorded call. */
  readonly by: Frame | null;
  /** The line that ran; 0 of the call itself. */
  readonly line: number;
  /** The moment at which that line began. */
  readonly began: number;
  readonly before: string | null;
  readonly after: string | null;
}

const known = new WeakMap<Recording, Map<string, readonly Write[]>>();

/** Every writing of the variable with this key, in order of time. */
export function listWrites(run: Recording, key: string): readonly Write[] {
  const found = known.get(run)?.get(key);
  if (found !== undefined) return found;
  const made = findWrites(run, key);
  const kept = known.get(run) ?? new Map<string, readonly Write[]>();
  known.set(run, kept.set(key, made));
  return made;
}

function findWrites(run: Recording, key: string): Write[] {
  const writes: Write[] = [];
  const owner = Number(key.slice(0, key.indexOf(".")));
  const name = key.slice(key.indexOf(".") + 1);
  let before: string | null = null;
  let value: PythonValue | undefined;
  for (let moment = 0; moment < run.length; moment++) {
    // a generator that waits has its variables still, though no state shows them
    if (owner !== MODULE && !isUnderWay(run, moment, owner)) continue;
    const now = run.valueOf(moment, key);
    const after: string | null =
      now === undefined ? null : now === value && isPlain(now) ? before : literalOf(run, moment, key);
    const { event, activation } = run.events[moment];
    const by = moment === 0 ? null : run.runningAfter(moment - 1);
    const line = by === null ? 0 : run.lineOf(moment - 1, by.activation);
    const kind: Write["kind"] | undefined =
      event === "call" && activation === owner && after !== null && before === null
        ? "argument"
        : after !== null && binds(run, moment, by, line, owner, name, after !== before)
          ? "bound"
          : after === before
            ? undefined
            : after === null
              ? "unbound"
              : before === null
                ? "bound"
                : "changed";
    if (kind !== undefined) {
      const began = by === null ? Math.max(0, moment - 1) : lineBegan(run, moment - 1, by.activation);
      writes.push({ kind, moment, by, line, began, before, after });
    }
    before = after;
    value = now;
  }
  return writes;
}

function isUnderWay(run: Recording, moment: number, activation: number): boolean {
  for (let frame: Frame | null = run.stackAt(moment); frame !== null; frame = frame.below)
    if (frame.activation === activation) return true;
  return false;
}

const isPlain = (value: PythonValue) => value === null || typeof value !== "object";

function literalOf(run: Recording, moment: number, key: string): string | null {
  const value = run.valueOf(moment, key);
  if (value === undefined) return null;
  return isPlain(value) ? stateLiterals({ value }).value : run.literals(moment)[key];
}

/** The moment of the line that runs in an activation: its last `line` or, before the first, `call`. */
function lineBegan(run: Recording, moment: number, activation: number): number {
  for (let at = moment; at >= 0; at--) {
    const { event, activation: each } = run.events[at];
    if (each === activation && (event === "line" || event === "call")) return at;
  }
  return moment;
}

/** Whether a line that assigns the name was completed between the previous event and this one. */
function binds(
  run: Recording,
  moment: number,
  by: Frame | null,
  line: number,
  owner: number,
  name: string,
  different: boolean,
): boolean {
  const now = run.events[moment];
  if (by === null || now.activation !== by.activation || now.event === "call" || now.event === "exception")
    return false;
  if (owner !== by.activation && (owner !== MODULE || isLocal(run, moment, by, name))) return false;
  const { event } = run.events[moment - 1];
  // at a call the first line has not run yet; a generator continues with the line at which it was suspended
  if (event === "exception" || (event === "call" && run.momentsOf(by.activation)[0] === moment - 1))
    return false;
  const statements = run.statementsAt(line);
  const statement = statements.find(({ assigns }) => assigns.some(([target]) => target === name));
  if (statement === undefined) return false;
  // which of several statements on a line ran follows only from the value
  if (statements.length > 1 || statement.unsure) return different;
  if (statement.body !== undefined)
    return now.event === "line" && now.line >= statement.body[0] && now.line <= statement.body[1];
  const inside = now.line >= statement.line && now.line <= statement.end;
  // at a yield, the line that waits for the sent value is not completed
  if (now.event === "return") return now.unwinding !== true && (!by.generator || different);
  return !inside || statement.line === statement.end;
}

/** A global assigned by a function is not one of its locals. */
function isLocal(run: Recording, moment: number, frame: Frame, name: string): boolean {
  return run.valueOf(moment, `${frame.activation}.${name}`) !== undefined;
}

/** The last writing up to a moment, by which the variable has the value that it has there. */
export function lastWrite(run: Recording, key: string, moment: number, kinds?: readonly Write["kind"][]) {
  return listWrites(run, key).findLast(
    (write) => write.moment <= moment && (kinds === undefined || kinds.includes(write.kind)),
  );
}

/** A value, the line that gave it, and what that line made it of. */
export interface Origin {
  readonly name: string;
  readonly value: string;
  readonly kind: "bound" | "argument" | "returned";
  readonly moment: number;
  readonly function: string;
  readonly line: number;
  readonly source: string;
  /** The last change of the object since it was bound here. */
  readonly changed?: {
    readonly moment: number;
    readonly line: number;
    readonly function: string;
    readonly source: string;
  };
  readonly from: readonly Origin[];
}

const MOST_ORIGINS = 100;

/** Undefined if the name is not bound there. `levels` limits how far back it is followed. */
export function findProvenance(
  run: Recording,
  moment: number,
  frame: Frame,
  name: string,
  levels = 1,
): Origin | undefined {
  return new Follower(run).origin(moment, frame, name, levels);
}

class Follower {
  readonly #run: Recording;
  #left = MOST_ORIGINS;

  constructor(run: Recording) {
    this.#run = run;
  }

  origin(moment: number, frame: Frame, name: string, levels: number): Origin | undefined {
    const run = this.#run;
    const key = run.keyOf(moment, frame.activation, name);
    if (key === undefined || this.#left-- <= 0) return undefined;
    const write = lastWrite(run, key, moment, ["bound", "argument"]);
    if (write === undefined) return undefined;
    const changed = lastWrite(run, key, moment, ["changed"]);
    const { by, line } = write;
    const statements = run.statementsAt(line);
    const made =
      statements.flatMap(({ assigns }) => assigns).find(([target]) => target === name)?.[1] ??
      statements.flatMap(({ reads }) => reads);
    return {
      name,
      value: run.literals(moment)[key],
      kind: write.kind === "argument" ? "argument" : "bound",
      moment: write.moment,
      function: by?.function ?? "",
      line,
      source: line === 0 ? run.record.call : textAt(run, line),
      ...(changed !== undefined &&
        changed.moment > write.moment && {
          changed: {
            moment: changed.moment,
            line: changed.line,
            function: changed.by?.function ?? "",
            source: textAt(run, changed.line),
          },
        }),
      from: by === null || levels === 0 ? [] : this.#parts(write, by, made, levels - 1),
    };
  }

  #parts(write: Write, by: Frame, names: readonly string[], levels: number): Origin[] {
    const read = names.flatMap((name) => this.origin(write.began, by, name, levels) ?? []);
    return write.kind === "argument" ? read : [...read, ...this.#returned(write, by, levels)];
  }

  /** Return values of the calls on that line. */
  #returned({ began, moment: end }: Write, by: Frame, levels: number): Origin[] {
    const run = this.#run;
    const found: Origin[] = [];
    for (let moment = began + 1; moment < end; moment++) {
      const { event, value, line, unwinding = false } = run.events[moment];
      const frame = run.stackAt(moment);
      if (event !== "return" || unwinding || frame.below?.activation !== by.activation || this.#left-- <= 0)
        continue;
      const reads = levels === 0 ? [] : run.statementsAt(line).flatMap((each) => each.reads);
      found.push({
        name: `${frame.function}()`,
        value: stateLiterals({ value: value ?? null }).value,
        kind: "returned",
        moment,
        function: frame.function,
        line,
        source: textAt(run, line),
        from: reads.flatMap((name) => this.origin(moment, frame, name, levels - 1) ?? []),
      });
    }
    return found;
  }
}

export function textAt(run: Recording, line: number): string {
  return (run.lines[line - 1] ?? "").trim();
}

/** Names, and places inside of what they name, that share one object at a moment. */
export interface Sharing {
  readonly value: string;
  readonly places: readonly {
    readonly function: string;
    readonly activation: number;
    readonly path: string;
  }[];
}

/** Every object that is reached in two ways from the module and the calls under way, in order of appearance. */
export function sharingsAt(run: Recording, moment: number): Sharing[] {
  const state = run.stateAt(moment) ?? {};
  const functions = new Map<number, string>([[MODULE, "<module>"]]);
  for (let frame: Frame | null = run.stackAt(moment); frame !== null; frame = frame.below)
    functions.set(frame.activation, frame.function);
  const places = new Map<number, Sharing["places"][number][]>();
  for (const [key, value] of Object.entries(state)) {
    const activation = Number(key.slice(0, key.indexOf(".")));
    visit(value, key.slice(key.indexOf(".") + 1), (label, path) => {
      const place = { function: functions.get(activation) ?? "", activation, path };
      const before = places.get(label);
      if (before === undefined) places.set(label, [place]);
      else before.push(place);
    });
  }
  return [...places].map(([label, found]) => ({
    value: stateLiterals({ ...state, value: { ref: label } }).value,
    places: found,
  }));
}

type Seen = (label: number, path: string) => void;

function visit(value: PythonValue, path: string, seen: Seen): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const [i, part] of value.entries()) visit(part, `${path}[${i}]`, seen);
  } else if ("id" in value) {
    seen(value.id, path);
    visit(value.is, path, seen);
  } else if ("ref" in value) seen(value.ref, path);
  else if ("dict" in value) {
    for (const pair of value.dict)
      if (!("cut" in pair)) visit(pair[1], `${path}[${stateLiterals({ key: pair[0] }).key}]`, seen);
  } else if ("object" in value) {
    for (const [name, field] of Object.entries(value.fields ?? {})) visit(field, `${path}.${name}`, seen);
    if (value.data !== undefined) visit(value.data, path, seen);
  } else {
    for (const kind of ["tuple", "deque"] as const)
      if (kind in value) visit((value as Record<string, PythonValue>)[kind], path, seen); // the kind is there, its items are a list
  }
}
