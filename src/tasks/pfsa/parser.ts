/**
 * @file Parses a program with hidden outcomes: possible outcomes, and what was revealed.
 *
 *     a = 1                                       a shown start, or a hidden one: a, b = random.sample([1, 2], 2)
 *     if random.random() < 0.3: a, b = b, a       a command: the swap with 0.3, nothing with 0.7
 *     print('a', a)
 *     a 2                                         a reveal
 *
 * The filters use this and not the generator, so they judge any program of this form.
 */

import { certainly } from "../../core/automata.ts";
import { fail } from "../../core/error.ts";
import type { Event, Transition } from "../../core/hidden-markov.ts";
import { permutationStates, type RandomCommand } from "../../core/permutation-walk.ts";
import type { Permutation } from "../../core/permutations.ts";
import type { Seen } from "../posterior.ts";

type UncertainStep =
  | {
      readonly kind: "command";
      readonly command: RandomCommand /** Its line, or two. */;
      readonly text: string;
    }
  | { readonly kind: "reveal"; readonly variable: number; readonly value: number };

/** @throws LabError (corrupt) naming the malformed line. */
export function readUncertain(text: string) {
  const lines = text.split("\n").filter((line) => line !== "import random" && line !== "");
  const begin = readStart(lines);
  const { variables, values } = begin;
  const steps: UncertainStep[] = [];
  for (let at = begin.lines; at < lines.length; at++) {
    const line = lines[at];
    const printed = /^print\('(\w+)', \1\)$/.exec(line);
    if (printed !== null) {
      const [name, value] = (lines[++at] ?? "").split(" ");
      if (name !== printed[1] || !values.includes(value))
        refuse(`the output of ${line}`, lines[at] ?? "nothing");
      steps.push({ kind: "reveal", variable: variables.indexOf(name), value: values.indexOf(value) });
      continue;
    }
    const otherwise = /^else: (.*)$/.exec(lines[at + 1] ?? "");
    if (otherwise !== null) at++;
    const command = readCommand(line, otherwise?.[1], variables);
    steps.push({ kind: "command", command, text: otherwise === null ? line : `${line}\n${lines[at]}` });
  }
  // `start`: the initial value of each variable, as an index into `values`; undefined if all orders are equally likely.
  // `values`: the names of the values, in order.
  return { variables, values, start: begin.start, steps };
}

function readStart(lines: readonly string[]) {
  const sampled = /^(.+) = random\.sample\(\[(.+)\], \d+\)$/.exec(lines[0] ?? "");
  if (sampled !== null) {
    const variables = sampled[1].split(", ");
    return { variables, values: sampled[2].split(", "), start: undefined, lines: 1 };
  }
  const assigned: [string, string][] = [];
  for (const line of lines) {
    const found = /^(\w+) = (\w+)$/.exec(line);
    if (found === null) break;
    assigned.push([found[1], found[2]]);
  }
  if (assigned.length === 0) refuse("values at the start", lines[0] ?? "nothing");
  const values = assigned.map(([, value]) => value).toSorted();
  const start = assigned.map(([, value]) => values.indexOf(value));
  return { variables: assigned.map(([name]) => name), values, start, lines: assigned.length };
}

function readCommand(
  line: string,
  otherwise: string | undefined,
  variables: readonly string[],
): RandomCommand {
  const maybe = /^if random\.random\(\) < (0\.\d+): (.*)$/.exec(line);
  if (maybe !== null) {
    const probability = Number(maybe[1]);
    const other = otherwise === undefined ? variables.map((_, i) => i) : permutationOf(otherwise, variables);
    return [
      { permutation: permutationOf(maybe[2], variables), probability },
      { permutation: other, probability: 1 - probability },
    ];
  }
  const chosen = /^(.+) = random\.choice\(\[\((.+)\)\]\)$/.exec(line);
  const choices = chosen?.[2].split("), (").map((sources) => `${chosen[1]} = ${sources}`) ?? [line];
  return choices.map((choice) => ({
    permutation: permutationOf(choice, variables),
    probability: 1 / choices.length,
  }));
}

/** `a, c = c, a` of a, b, c is [2, 1, 0]. */
function permutationOf(assignment: string, variables: readonly string[]): Permutation {
  const [targets, sources] = assignment.split(" = ").map((side) => side.split(", "));
  const from = variables.map((_, i) => i);
  const place = (name: string) => {
    const at = variables.indexOf(name);
    return at >= 0 ? at : refuse("variables that were assigned before", name);
  };
  if (targets.length !== sources?.length) refuse("a command of the task pfsa", assignment);
  for (const [i, target] of targets.entries()) from[place(target)] = place(sources[i]);
  return from;
}

function refuse(expected: string, got: string): never {
  return fail("pfsa program", expected, got, undefined, "corrupt");
}

/**
 * Parses programs of n variables; the effects of commands on the n! orders are cached. `assumed` overrides the probability of every `if
 * random.random() < ...`.
 */
export function machineReader(variables: number, assumed?: number): (text: string) => Seen {
  const { states, indexOf, transition, question } = permutationStates(variables);
  const questions = Array.from({ length: variables }, (_, i) => question(i));
  const walk = { states: states.length, inputs: [], next: (q: number) => q, output: (q: number) => q };
  const anything = new Float64Array(states.length).fill(1 / states.length);
  const places = new Map<string, number>();
  const actions: Transition[] = [];
  const taken = ({ command, text }: { readonly command: RandomCommand; readonly text: string }) =>
    assumed === undefined || !text.startsWith("if ")
      ? command
      : command.map((each, i) => ({ ...each, probability: i === 0 ? assumed : 1 - assumed }));
  return (text) => {
    const { start, steps } = readUncertain(text);
    const events = steps.map((step): Event => {
      if (step.kind === "reveal") return { kind: "reveal", question: step.variable, answer: step.value };
      const known = places.get(step.text);
      if (known !== undefined) return { kind: "act", action: known };
      places.set(step.text, actions.length);
      return { kind: "act", action: actions.push(transition(taken(step))) - 1 };
    });
    const begin = start === undefined ? anything : certainly(indexOf(start), walk);
    // Programs begin with any order, uniformly, so without observations nothing is known.
    const unseen = () => anything;
    return { machine: { states: states.length, start: begin, actions, questions }, events, unseen };
  };
}
