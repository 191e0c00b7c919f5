/**
 * @file The words of the debugger task: positions, variables, commands, and changes.
 *
 *     line 6: {a: 4, b: 7}          a position and all variables of the active calls
 *     next
 *     line 7: {a: 6}                the next position, and variables that are new or have changed
 *
 * A line number is one word, in the listing, in a position and in a command.
 */

import type { Moment, Values } from "../branches/interpret.ts";
import type { Line } from "../branches/syntax.ts";
import { codeSymbols, definition } from "../branches/syntax.ts";
import { VARIABLES } from "../repl/vocabulary.ts";
import { type CommandName, commandNames, namesLine } from "./moves.ts";
import { HELPER_LINES, HELPER_VARIABLE } from "./program.ts";

export interface Sizes {
  readonly variables: number;
  readonly numbers: number;
  /** Number of named lines. */
  readonly labels: number;
}

export const label = (line: number) => `line ${line}`;
const indents = [": ", ":     ", ":         "];
const EVENTS = ["call ", "return "];

export const ownNames = ({ variables }: Pick<Sizes, "variables">) => VARIABLES.slice(0, variables);

export function debuggerWords({ variables, numbers, labels }: Sizes): string[] {
  const names = ownNames({ variables });
  return [
    ...new Set([
      ...codeSymbols,
      ...indents,
      ...EVENTS,
      ...[": {", "}"],
      ...["g(", ")", definition("g", [HELPER_VARIABLE]), definition("f", names)],
      ...commandNames.map((name) => (namesLine(name) ? `${name} ` : name)),
      ...Array.from({ length: labels }, (_, i) => label(i + 1)),
      ...[...names, HELPER_VARIABLE],
      ...Array.from({ length: numbers }, (_, i) => String(i)),
    ]),
  ];
}

/** Before the words of line `number` of the listing. */
export const lineStart = (number: number, { indent }: Line) => [label(number), indents[indent]];

/** `line 6: {a: 4, b: 7}` in words. */
export function stopPieces({ event, line }: Pick<Moment, "event" | "line">, values: Values): string[] {
  const shown = Object.entries(values).flatMap(([name, value], i) => [
    ...(i > 0 ? [", "] : []),
    ...[name, ": ", String(value)],
  ]);
  return [...(event === "line" ? [] : [`${event} `]), label(line), ": {", ...shown, "}"];
}

export const commandPieces = (name: CommandName, line: number) =>
  namesLine(name) ? [`${name} `, label(line)] : [name];

/** The variables at `to` that differ from those at `from`. */
export function changesBetween(from: Values, to: Values): Values {
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => from[name] !== value));
}

/** Every possible answer: positions, each with any variables that can have changed there. */
export function allAnswers(sizes: Sizes): string[] {
  const own = ownNames(sizes);
  const places = Array.from({ length: sizes.labels }, (_, i) => i + 1);
  const inHelper = places.slice(0, HELPER_LINES);
  const ofOwn = changesOf(own, sizes.numbers);
  const ofBoth = changesOf([...own, HELPER_VARIABLE], sizes.numbers);
  const at = (event: Moment["event"], line: number, changes: readonly Values[]) =>
    changes.map((values) => stopPieces({ event, line }, values).join(""));
  // g, or else f, begins in the first line
  return [
    ...[1, HELPER_LINES + 1].flatMap((line) => at("call", line, ofOwn)),
    ...places.flatMap((line) => [...at("line", line, ofOwn), ...at("return", line, ofOwn)]),
    ...at("call", 1, ofBoth.filter(isNew)),
    ...inHelper.flatMap((line) => [
      ...at("line", line, ofBoth.filter(isNew)),
      ...at("return", line, ofBoth.filter(isNew)),
    ]),
  ];
}

const isNew = (values: Values) => HELPER_VARIABLE in values;

/** Every choice of variables with a value each, including none. */
function changesOf(names: readonly string[], numbers: number): Values[] {
  const [name, ...rest] = names;
  if (name === undefined) return [{}];
  const others = changesOf(rest, numbers);
  const values = Array.from({ length: numbers }, (_, value) => value);
  return [...others, ...values.flatMap((value) => others.map((other) => ({ [name]: value, ...other })))];
}

/** How many `allAnswers` are. */
export function countAnswers({ variables, numbers, labels }: Sizes): number {
  const own = (numbers + 1) ** variables;
  return (2 + 2 * labels) * own + (1 + 2 * HELPER_LINES) * own * numbers;
}
