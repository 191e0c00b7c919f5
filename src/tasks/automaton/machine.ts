/** @file Compiles a user-defined automaton: names become indices, in the order of the definition. */

import { fail } from "../../core/error.ts";
import { type Event, type Machine, marginals, transitionMatrix } from "../../core/hidden-markov.ts";
import { type Automaton, checkAutomaton, WHOLE_STATE } from "../../schemas/automaton.ts";
import type { Seen } from "../posterior.ts";

export interface NamedMachine extends Machine {
  readonly actionNames: readonly string[];
  /** The reveals in their order, then `state`. */
  readonly questionNames: readonly string[];
  /** answerNames[question][answer] */
  readonly answerNames: readonly (readonly string[])[];
}

/** @throws LabError in one sentence if names or probabilities are inconsistent. */
export function machineFrom(automaton: Automaton): NamedMachine {
  checkAutomaton(automaton);
  const { states, start, actions, reveals } = automaton;
  const place = new Map(states.map((name, q) => [name, q]));
  // checkAutomaton has validated every name.
  const numberOf = (name: string) => place.get(name) as number;
  const sharesOf = (target: string | Readonly<Record<string, number>>): [number, number][] =>
    typeof target === "string"
      ? [[numberOf(target), 1]]
      : Object.entries(target).map(([name, share]) => [numberOf(name), share]);
  const begin = new Float64Array(states.length);
  for (const [q, share] of sharesOf(start ?? evenly(states))) begin[q] = share;
  const asked = [
    ...Object.entries(reveals),
    [WHOLE_STATE, Object.fromEntries(states.map((name) => [name, name]))] as const,
  ];
  const answerNames = asked.map(([, answers]) => [...new Set(states.map((name) => answers[name]))]);
  return {
    states: states.length,
    start: begin,
    actions: Object.values(actions).map((rows) =>
      transitionMatrix(states.map((name) => sharesOf(Object.hasOwn(rows, name) ? rows[name] : name))),
    ),
    questions: asked.map(([, answers], i) => ({
      answers: answerNames[i].length,
      answer: Int32Array.from(states, (name) => answerNames[i].indexOf(answers[name])),
    })),
    actionNames: Object.keys(actions),
    questionNames: asked.map(([name]) => name),
    answerNames,
  };
}

function evenly(states: readonly string[]): Record<string, number> {
  return Object.fromEntries(states.map((name) => [name, 1 / states.length]));
}

/** The reader throws a LabError (corrupt) that names what it does not know. */
export function eventReader(machine: NamedMachine): (text: string) => Seen {
  const { actionNames, questionNames, answerNames } = machine;
  const numberOf = (names: readonly string[], name: string) => {
    const at = names.indexOf(name);
    return at >= 0 ? at : fail("automaton example", `one of ${names.join(", ")}`, name, undefined, "corrupt");
  };
  const unseen = marginals(machine);
  return (text) => ({
    ...{ machine, unseen },
    events: text
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Event => {
        const [name, answer] = line.split(" ");
        if (answer === undefined) return { kind: "act", action: numberOf(actionNames, name) };
        const question = numberOf(questionNames, name);
        return { kind: "reveal", question, answer: numberOf(answerNames[question], answer) };
      }),
  });
}
