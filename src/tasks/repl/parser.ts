/**
 * @file Parses a program: initial assignments, commands, and the times of reveals.
 *
 *     >>> a = 1                the initial value 1 of a                   a, b = range(2)
 *     >>> a, b = b, a          a command: position 0 takes from 1,        a, b = b, a
 *                              position 1 from 0
 *     >>> print('a', a)
 *     a 2                      a reveal after 1 command                   assert a == 1
 *
 * Reference solvers use this and not the generator, so they judge any program of this form.
 */

import { fail } from "../../core/error.ts";

export interface ReplProgram {
  readonly variables: readonly string[];
  /** initial[i] is the initial value of variable i. */
  readonly initial: readonly string[];
  /** commands[t][i] is the variable from which variable i takes its value. */
  readonly commands: readonly (readonly number[])[];
  readonly reveals: readonly ReplReveal[];
}

export interface ReplReveal {
  readonly variable: number;
  readonly value: string;
  /** Number of commands before it. */
  readonly commands: number;
}

/** @throws LabError (corrupt) naming the malformed line. */
export function readProgram(text: string): ReplProgram {
  const variables: string[] = [];
  const initial: string[] = [];
  const commands: number[][] = [];
  const reveals: ReplReveal[] = [];
  const lines = text.split("\n");
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
        variable: numberOf(variables, name, at),
        value: output.slice(space + 1),
        commands: commands.length,
      });
    } else if (equals < 0) {
      refuse(at, "an assignment, a swap or a print", line);
    } else if (line.includes(",")) {
      commands.push(commandOf(line, at, variables));
    } else {
      if (commands.length > 0) refuse(at, "initial values before the first command", line);
      variables.push(line.slice(0, equals));
      initial.push(line.slice(equals + 3));
    }
  }
  return { variables, initial, commands, reveals };
}

/** The same for a program of asserts. @throws LabError (corrupt) naming the malformed line. */
export function readAsserts(text: string): ReplProgram {
  const [first, ...lines] = text.split("\n");
  const start = /^(.+) = range\(\d+\)$/.exec(first);
  const variables = start?.[1].split(", ") ?? refuse(0, "variables = range(how many)", first);
  const commands: number[][] = [];
  const reveals: ReplReveal[] = [];
  for (const [i, line] of lines.entries()) {
    const asserted = /^assert (\w+) == (.+)$/.exec(line);
    if (asserted !== null) {
      const [, name, value] = asserted;
      reveals.push({ variable: numberOf(variables, name, i + 1), value, commands: commands.length });
    } else if (line !== "") commands.push(commandOf(line, i + 1, variables));
  }
  return { variables, initial: variables.map((_, i) => String(i)), commands, reveals };
}

/** `a, c = c, a` of a, b, c is [2, 1, 0]. */
function commandOf(line: string, at: number, variables: readonly string[]): number[] {
  const [targets, sources = []] = line.split(" = ").map((side) => side.split(", "));
  if (targets.length !== sources.length) refuse(at, "as many values as variables", line);
  const from = variables.map((_, i) => i);
  for (const [i, target] of targets.entries()) {
    from[numberOf(variables, target, at)] = numberOf(variables, sources[i], at);
  }
  return from;
}

function numberOf(variables: readonly string[], name: string, line: number): number {
  const at = variables.indexOf(name);
  return at >= 0 ? at : refuse(line, "a variable that was assigned before", name);
}

function refuse(line: number, expected: string, got: string): never {
  return fail(`REPL program, line ${line + 1}`, expected, got, undefined, "corrupt");
}
