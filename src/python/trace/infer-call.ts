/**
 * @file The call to trace, where nobody named one: the last line of the program, if it calls a function of the program.
 *
 *     def f(n): return n + 1
 *     print(f(2))                     source: the first line; call: f(2)
 *     assert f(2) == 3                likewise
 */

import { parseAssert } from "./parse-assert.ts";

export interface FoundCall {
  /** The program without the line that calls. */
  readonly source: string;
  readonly call: string;
}

/** Undefined where the last line is no call of a function that the program defines at its top level. */
export function findCall(program: string): FoundCall | undefined {
  const trimmed = program.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  const [source, last] = [trimmed.slice(0, start), trimmed.slice(start)];
  if (/^\s/.test(last)) return undefined;
  const asserted = parseAssert(last, source);
  if (asserted !== undefined) return { source, call: asserted.call };
  const call = /^print\(([\s\S]+)\)$/.exec(last)?.[1] ?? last;
  const name = /^([^\W\d]\w*)\s*\([\s\S]*\)$/.exec(call)?.[1];
  if (name === undefined || !definedNames(source).includes(name)) return undefined;
  return { source, call };
}

/** The functions that are defined at the top level of the program, in order. */
export function definedNames(source: string): string[] {
  return [...source.matchAll(/^(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)/gm)].map((match) => match[1]);
}
