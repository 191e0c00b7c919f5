/**
 * @file Moving through a proven trace: what a line changed, which calls are under way, where a value came from.
 *
 *     n = 2                        depth 0
 *     half1_x = n                  depth 1: half's first call, written out in its place
 *     half1_return = half1_x // 2
 *     y = half1_return             depth 0; y came from here, and half1_return from the line before
 *
 * A record has no depth. It is read from the names: variables of the calls that are written out begin with the function's name and
 * a number (docs/concepts/code-traces.md), and stand in a state for as long as the call is under way.
 */

import { sameLiteral } from "../../src/python/values/equality.ts";
import { readLiteral } from "../../src/python/values/literal.ts";
import { stateLiterals } from "../../src/python/values/repr.ts";
import type { TraceLine, TraceRecord } from "../../src/schemas/trace.ts";

export interface Change {
  readonly name: string;
  /** Python's own notation, before and after; undefined where it was not there, or is gone. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface Origin {
  readonly name: string;
  /** The line after which it first had its current value. */
  readonly line: number;
}

export interface Following {
  readonly record: TraceRecord;
  /** The calls under way after each line, from the outside in: `fib1`. */
  readonly calls: readonly (readonly string[])[];
  readonly changes: readonly (readonly Change[])[];
}

const IDENTIFIER = /[^\W\d]\w*/gu;

/** Passes once over all lines. */
export function following(record: TraceRecord): Following {
  const callOf = labelsOf(record.source);
  const calls: (readonly string[])[] = [];
  const changes: (readonly Change[])[] = [];
  let before: Readonly<Record<string, string>> = {};
  for (const line of record.lines) {
    const { state } = line;
    const after = state === null ? before : stateLiterals(state);
    changes.push(differences(before, after));
    const under = new Set(Object.keys(after).flatMap((name) => callOf(name) ?? []));
    const [first = ""] = line.code.match(IDENTIFIER) ?? [];
    const own = line.role === "assert" ? undefined : callOf(first);
    if (own !== undefined) under.add(own);
    calls.push([...under]);
    before = after;
  }
  return { record, calls, changes };
}

function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly Change[] {
  if (before === after) return [];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ name, before: cut(before[name]), after: cut(after[name]) }));
}

/** For a long list that grows, every line would keep a copy. */
const LONGEST = 2_000;
const cut = (literal: string | undefined) =>
  literal !== undefined && literal.length > LONGEST
    ? `${literal.slice(0, LONGEST)}… (${literal.length} characters)`
    : literal;

/** Which call a variable of the trace belongs to: `fib12` of `fib12_n`; undefined of the traced call's own. */
function labelsOf(source: string): (name: string) => string | undefined {
  const functions = new Set(
    [...source.matchAll(/\b(?:def|class)\s+([^\W\d]\w*)/gu)].map(([, name]) => {
      const bare = name.replace(/^_+|_+$/g, "");
      return /^[^\W\d]/u.test(bare) ? bare : `f${bare}`;
    }),
  );
  const written = new Set(source.match(IDENTIFIER) ?? []);
  return (name) => {
    if (written.has(name)) return undefined; // the program's own name, which only looks like one
    for (const [, label, of] of name.matchAll(/^((.*?)\d+)_/gu)) if (functions.has(of)) return label;
    return undefined;
  };
}

/** The name in its call: `n` of `fib12_n` in `fib12`. */
export function nameIn(name: string, call: string | undefined): string {
  return call !== undefined && name.startsWith(`${call}_`) ? name.slice(call.length + 1) : name;
}

/** The next line that is not inside of a call which this one is outside of; the last line where there is none. */
export function over({ calls }: Following, at: number): number {
  for (let next = at + 1; next < calls.length; next++)
    if (calls[next].length <= calls[at].length) return next;
  return calls.length - 1;
}

/** The line before which is not inside of such a call; the first line where there is none. */
export function overBack({ calls }: Following, at: number): number {
  for (let next = at - 1; next > 0; next--) if (calls[next].length <= calls[at].length) return next;
  return 0;
}

/** The first line after the current call; the last line if there is none. */
export function out({ calls }: Following, at: number): number {
  for (let next = at + 1; next < calls.length; next++) if (calls[next].length < calls[at].length) return next;
  return calls.length - 1;
}

/** The line that gave a variable its value after line `at`; undefined if no line did. */
export function origin({ changes, record }: Following, name: string, at: number): Origin | undefined {
  for (let line = at; line >= 0; line--) {
    const change = changes[line].find((each) => each.name === name);
    if (change !== undefined) return change.after === undefined ? undefined : { name, line };
    // forloop0 and g1_return stand in no state: the line that sets one is found by its text.
    if (setsOutside(record.lines[line], name)) return { name, line };
  }
  return undefined;
}

const setsOutside = ({ code }: TraceLine, name: string) => code.startsWith(`${name} = `);

/** The variables read by the line, each with the line of its value. Words in string literals count as names. */
export function readBy(following: Following, at: number): Origin[] {
  const { code } = following.record.lines[at];
  const assigned = /^[^=!<>()[\]{}'"]*?[^=!<>+\-*/%&|^@:](=)(?!=)/.exec(code); // `n += 1` and `xs[0] = 1` read what they change
  const text = assigned === null ? code : code.slice(assigned[0].length);
  const names = new Set(text.replaceAll(/\.\s*[^\W\d]\w*/gu, "").match(IDENTIFIER) ?? []);
  return [...names].flatMap((name) => {
    const found = at === 0 ? undefined : origin(following, name, at - 1);
    return found === undefined ? [] : [found];
  });
}

/** Whether a guess is the value: the same literal of Python, else the same text but for spaces. */
export function isRight(guess: string, literal: string): boolean {
  const [said, is] = [readLiteral(guess.trim()), readLiteral(literal)];
  if (said !== undefined && is !== undefined) return sameLiteral(said, is);
  const bare = (text: string) => text.replaceAll(/\s+/g, "");
  return bare(guess) === bare(literal);
}
