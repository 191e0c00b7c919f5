/**
 * @file The parts of a program by their relation to a question: where could its answer be read?
 *
 *     >>> a = 1 ... c = 3            initialisation
 *     >>> print('c', c)  c 3         oldReveals         all that are none of those below
 *     >>> a, b = b, a                oldCommands
 *     >>> print('a', a)  a 2         variableReveal     last reveal of the asked variable
 *     >>> b, c = c, b                commandsSince      commands that have moved it since
 *     >>> print('b', b)  b 3         answerReveal       last reveal of the right answer, if that is another one
 *     >>> a, b = b, a                lastCommand        with the state after it, if the model keeps one
 *     >>> print('c', c)  c 1         freshReveals       nothing has happened since: they are still true
 *     >>> print('a', a)  a           question           answered by 3
 */

import type { AskedPlace, Program } from "./recording.ts";

export const attendedParts = [
  "question",
  "lastCommand",
  "commandsSince",
  "oldCommands",
  "freshReveals",
  "variableReveal",
  "answerReveal",
  "oldReveals",
  "initialisation",
] as const;
export type AttendedPart = (typeof attendedParts)[number];

/** For each token up to a question its part, as an index of `attendedParts`. */
export function partsBefore({ classes, places, commands, questions }: Program, which: number): Uint8Array {
  const { position, variable, value } = questions[which];
  const lineOf = (t: number) => t - places[t];
  const commandsBefore = (t: number) => (t === 0 ? 0 : Math.max(0, commands[t - 1]));
  // A question inside a command has no text: its earlier occurrences cannot be read.
  const reveals = questions.slice(0, which).filter((earlier) => classes[earlier.position] === "reveal");
  const lineWhere = (matches: (reveal: AskedPlace) => boolean) => {
    const last = reveals.findLast(matches);
    return last === undefined ? -1 : lineOf(last.position);
  };
  const variableLine = lineWhere((reveal) => reveal.variable === variable);
  const answerLine = lineWhere((reveal) => reveal.value === value);
  const line = lineOf(position);
  const partOf = (t: number): AttendedPart => {
    const own = lineOf(t);
    if (own === line) return "question";
    switch (classes[t]) {
      case "initialisation":
        return "initialisation";
      case "reveal":
        if (commandsBefore(own) === commandsBefore(line)) return "freshReveals";
        if (own === variableLine) return "variableReveal";
        return own === answerLine ? "answerReveal" : "oldReveals";
      case "command":
        if (commandsBefore(own) === commandsBefore(line) - 1) return "lastCommand";
        return own > variableLine ? "commandsSince" : "oldCommands";
      default:
        return classes[t] satisfies never;
    }
  };
  return Uint8Array.from({ length: position + 1 }, (_, t) => attendedParts.indexOf(partOf(t)));
}
