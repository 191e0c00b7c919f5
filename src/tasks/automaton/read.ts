/** @file Reads the lines of an automaton's example back: `press` is an action, `lit yes` an answer. */

import { fail } from "../../core/error.ts";
import { type Event, marginals } from "../../core/hidden-markov.ts";
import type { Seen } from "../posterior.ts";
import type { NamedMachine } from "./machine.ts";

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
