/**
 * @file Interprets an integer function with branches and records the events of Python's tracer: a call, each line before it runs, a
 * return, each with all variables of the active calls.
 *
 *     call    line 1    { a: 4 }
 *     line    line 2    { a: 4 }           def f(a):
 *     line    line 3    { a: 6 }               a += 2
 *     return  line 3    { a: 6 }               return a
 *
 * Functions have disjoint variable names, so that one record has them all.
 */

import type { Code, Line, Operand } from "./syntax.ts";

export type Value = number | null | readonly number[];
export type Values = Readonly<Record<string, Value>>;

export interface Moment {
  readonly event: "call" | "line" | "return";
  /** From 1. */
  readonly line: number;
  /** Number of active calls below this one. */
  readonly depth: number;
  readonly values: Values;
}

/** All events of `name(...given)`, its return last. */
export function runCalled(lines: readonly Line[], name: string, given: readonly Value[]): Moment[] {
  const moments: Moment[] = [];
  call(lines, name, given, {}, 0, moments);
  return moments;
}

/** Runs a call with the variables `below` of its callers; returns its value. */
function call(
  lines: readonly Line[],
  name: string,
  given: readonly Value[],
  below: Values,
  depth: number,
  moments: Moment[],
): Value {
  const start = lines.findIndex((line) => line.op === "def" && line.name === name);
  const head = lines[start] as Extract<Code, { op: "def" }>; // selected by its op
  let own: Record<string, Value> = Object.fromEntries(head.parameters.map((each, i) => [each, given[i]]));
  const note = (event: Moment["event"], at: number) =>
    moments.push({ event, line: at + 1, depth, values: { ...below, ...own } });
  note("call", start);
  for (let at = start + 1; ; ) {
    const line = lines[at];
    note("line", at);
    if (line.op === "return") {
      note("return", at);
      return own[line.variable];
    }
    if (line.op === "if") {
      at = (own[line.variable] as number) < line.below ? at + 1 : afterFalse(lines, at);
      continue;
    }
    if (line.op === "call") {
      const values = { ...below, ...own };
      own[line.target] = call(lines, line.function, [own[line.argument]], values, depth + 1, moments);
    } else own = updated(own, line);
    at = afterLine(lines, at);
  }
}

/** The next line after a false condition: in its `else`, or after its body. */
function afterFalse(lines: readonly Line[], at: number): number {
  let next = at + 1;
  while (lines[next].indent > lines[at].indent) next++;
  return lines[next].op === "else" ? next + 1 : next;
}

/** The next line after an executed one; skips the body of an `else`. */
function afterLine(lines: readonly Line[], at: number): number {
  let next = at + 1;
  if (lines[next].op !== "else") return next;
  const { indent } = lines[next++];
  while (lines[next].indent > indent) next++;
  return next;
}

function updated(own: Readonly<Record<string, Value>>, code: Code): Record<string, Value> {
  switch (code.op) {
    case "swap":
      return { ...own, [code.target]: own[code.other], [code.other]: own[code.target] };
    case "=":
      return { ...own, [code.target]: valueOfOperand(own, code.operand) };
    case "+=":
    case "-=":
    case "%=":
    case "//=": {
      // the generator draws these only for integers
      const [left, right] = [own[code.target], valueOfOperand(own, code.operand)] as [number, number];
      return { ...own, [code.target]: arithmetic[code.op](left, right) };
    }
    default:
      throw new Error(`${code.op} changes nothing`);
  }
}

function valueOfOperand(own: Readonly<Record<string, Value>>, operand: Operand): Value {
  if (typeof operand === "number") return operand;
  if (operand === "None") return null;
  if (!operand.startsWith("[")) return own[operand];
  return operand === "[]" ? [] : [own[operand.slice(1, -1)] as number]; // only integers
}

/** As in Python: rounded down, with the remainder's sign from the divisor. */
const arithmetic = {
  "+=": (left: number, right: number) => left + right,
  "-=": (left: number, right: number) => left - right,
  "%=": (left: number, right: number) => left - right * Math.floor(left / right),
  "//=": (left: number, right: number) => Math.floor(left / right),
};
