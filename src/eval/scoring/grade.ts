/** @file Strict grading of answers. Wrong and unreadable are different findings. */

import { fail } from "../../core/error.ts";
import { equalLiteral, holdsNan, sameLiteral } from "../../python/values/equality.ts";
import { readLiteral } from "../../python/values/literal.ts";
import type { Execute } from "../execute.ts";
import { callParts, parts } from "./source-text.ts";

export type Grade =
  | { readonly kind: "correct" }
  | { readonly kind: "wrong"; readonly words: string }
  | { readonly kind: "unreadable"; readonly words: string };

/** Right if it is a literal with the same value, and (`typed`) the same types. */
export function gradeLiteral(answer: string, expected: string, typed = true): Grade {
  const value = readLiteral(answer);
  if (value === undefined) return { kind: "unreadable", words: "the answer is no Python literal" };
  const wanted = readLiteral(expected);
  if (wanted === undefined) fail("the expected value", "a Python literal", expected, undefined, "corrupt");
  return (typed ? sameLiteral : equalLiteral)(value, wanted)
    ? { kind: "correct" }
    : { kind: "wrong", words: "another value" };
}

/** Why no answer can be compared with an expected value; undefined if it can. */
export function unfitToExpect(expected: string): string | undefined {
  const literal = readLiteral(expected);
  if (literal !== undefined)
    return holdsNan(literal) ? "the expected value holds a NaN, which equals nothing" : undefined;
  return hasNames(expected)
    ? "the expected value has a character by its name, which only Python knows"
    : "the expected value is no literal";
}

/** A character by its name, which only Python knows. */
const characterName = /\\N\{[A-Za-z0-9 -]+\}/g;

/** Whether the answer is a literal, possibly with characters by name. */
export function isReadable(answer: string): boolean {
  return readLiteral(answer) !== undefined || hasNames(answer);
}

/** Cannot run code: with letters in place of the names it is a literal. */
function hasNames(answer: string): boolean {
  return (
    answer.search(characterName) >= 0 && readLiteral(answer.replaceAll(characterName, "x")) !== undefined
  );
}

/** gradeLiteral, except that literals with characters by name are evaluated by Python. */
export async function gradeValue(
  answer: string,
  expected: string,
  execute: Execute,
  typed = true,
): Promise<Grade> {
  if (readLiteral(answer) !== undefined || !hasNames(answer)) return gradeLiteral(answer, expected, typed);
  const run = await execute({ code: "", expression: `(${answer}\n) == ${expected}`, typed });
  if (run.kind === "passed") return { kind: "correct" };
  return /SyntaxError/.test(run.words)
    ? { kind: "unreadable", words: "the answer is no Python literal" }
    : { kind: "wrong", words: "another value" };
}

/** Right if it is the one of these names that is expected. */
export function gradeName(answer: string, expected: string, names: readonly string[]): Grade {
  if (answer === expected) return { kind: "correct" };
  return names.includes(answer)
    ? { kind: "wrong", words: "another value" }
    : { kind: "unreadable", words: "the answer is none of the values" };
}

export interface CallQuestion {
  /** Defines the function. */
  readonly code: string;
  readonly name: string;
  /** The literal that the call should give. */
  readonly expected: string;
  /** Whether types must match the literal; true by default. */
  readonly typed?: boolean;
}

/** Right if it is one call of the function, with literals, whose result is what is expected. Runs the function. */
export async function gradeCall(answer: string, question: CallQuestion, execute: Execute): Promise<Grade> {
  const { code, name, expected, typed = true } = question;
  const call = callParts(answer);
  if (call === undefined || call.name !== name)
    return { kind: "unreadable", words: `the answer is not one call of ${name}` };
  if (!areArguments(call.input))
    return { kind: "unreadable", words: "an argument of the call is no Python literal" };
  const run = await execute({ code, expression: `${name}(${call.input}\n) == ${expected}`, typed });
  return run.kind === "passed" ? { kind: "correct" } : { kind: "wrong", words: run.words };
}

/** Whether these are literals as positional or keyword arguments: `1, [2], key='a'`. */
export function areArguments(input: string): boolean {
  const given = parts(input, ",");
  if (given.length > 1 && given.at(-1)?.trim() === "") given.pop();
  if (given.length === 1 && given[0].trim() === "") return true;
  return given.every((argument) => {
    const [first, ...rest] = parts(argument, "=");
    const named = rest.length === 1 && /^\s*[^\W\d]\w*\s*$/u.test(first);
    return (named || rest.length === 0) && isReadable(named ? rest[0] : argument);
  });
}
