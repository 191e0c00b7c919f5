/** @file A program with hidden outcomes as a machine of n! orders, one action for each of its lines. */

import { certainly } from "../../core/automata.ts";
import type { Event, Transition } from "../../core/hidden-markov.ts";
import { permutationStates, type RandomCommand } from "../../core/permutation-walk.ts";
import type { Seen } from "../posterior.ts";
import { readUncertain } from "./parser.ts";

/**
 * Reads programs of n variables; what a command does to the n! orders is worked out once. With `assumed` that is the probability of
 * every `if random.random() < ...`, whatever the text says.
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
    // Programs begin with any order, each as likely; so whoever has not seen it knows nothing.
    const unseen = () => anything;
    return { machine: { states: states.length, start: begin, actions, questions }, events, unseen };
  };
}
