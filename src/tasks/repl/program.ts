/**
 * @file Reads a REPL session back from its text: what was assigned, which commands ran, what was printed when.
 *
 *     >>> a = 1                the initial value 1 of a
 *     >>> a, b = b, a          a command: position 0 takes from 1, position 1 from 0
 *     >>> print('a', a)
 *     a 2                      a reveal after 1 command
 *
 * A reference solver works from this and not from the generator, so it judges any program of this form.
 */

import { fail } from "../../records/error.ts";

export interface ReplProgram {
  readonly variables: readonly string[];
  /** initial[i] is the value shown for variable i. */
  readonly initial: readonly string[];
  /** commands[t][i] is the variable that variable i takes its value from. */
  readonly commands: readonly (readonly number[])[];
  readonly reveals: readonly ReplReveal[];
}

export interface ReplReveal {
  readonly variable: number;
  readonly value: string;
  /** How many commands ran before it. */
  readonly commands: number;
}

/** @throws LabError (corrupt) naming the line that is not of the form. */
export function readProgram(text: string): ReplProgram {
  const variables: string[] = [];
  const initial: string[] = [];
  const commands: number[][] = [];
  const reveals: ReplReveal[] = [];
  const lines = text.split("\n");
  const numberOf = (name: string, line: number): number => {
    const at = variables.indexOf(name);
    if (at >= 0) return at;
    return refuse(line, "a variable that was assigned before", name);
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at].startsWith(">>> ") ? lines[at].slice(4) : lines[at];
    if (line === "") continue;
    const equals = line.indexOf(" = ");
    if (line.startsWith("print('")) {
      const name = line.slice(7, line.indexOf("'", 7));
      const output = lines[++at] ?? "";
      const space = output.indexOf(" ");
      if (output.slice(0, space) !== name) refuse(at, `the output of print('${name}', ${name})`, output);
      reveals.push({
        variable: numberOf(name, at),
        value: output.slice(space + 1),
        commands: commands.length,
      });
    } else if (equals < 0) {
      refuse(at, "an assignment, a swap or a print", line);
    } else if (line.includes(",")) {
      const targets = line.slice(0, equals).split(", ");
      const sources = line.slice(equals + 3).split(", ");
      if (targets.length !== sources.length) refuse(at, "as many values as variables", line);
      const from = variables.map((_, i) => i);
      for (let i = 0; i < targets.length; i++) from[numberOf(targets[i], at)] = numberOf(sources[i], at);
      commands.push(from);
    } else {
      if (commands.length > 0) refuse(at, "initial values before the first command", line);
      variables.push(line.slice(0, equals));
      initial.push(line.slice(equals + 3));
    }
  }
  return { variables, initial, commands, reveals };
}

function refuse(line: number, expected: string, got: string): never {
  return fail(`REPL program, line ${line + 1}`, expected, got, undefined, "corrupt");
}
