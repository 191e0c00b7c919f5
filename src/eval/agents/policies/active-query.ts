/** @file Revealing: follows what may have happened, exactly, and asks for a variable by one of the rules of math/reveal-choice.ts. */

import { z } from "zod";
import { type RevealChoice, revealChoices } from "../../../core/active-query.ts";
import type { Shares } from "../../../core/automata.ts";
import { afterAction, afterAnswer } from "../../../core/hidden-markov.ts";
import { indexPairs } from "../../../core/permutation-walk.ts";
import { machineFor, variableNames } from "../environments/reveals.ts";
import type { ScriptedPolicy } from "./policy.ts";

const choices = Object.keys(revealChoices) as [RevealChoice, ...RevealChoice[]];
const Params = z.strictObject({ choice: z.enum(choices).default("greedy") });

export const revealing: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "revealing",
  summary: "asks for a variable: random, round-robin or greedy (revealing.choice)",
  params: Params,
  worlds: ["reveals"],
  decide({ task, messages, turn }, { choice }, rng) {
    const variables = /^\w(?:, \w)* = /.exec(task)![0].split(",").length;
    const [, probability] = /with probability (\S+);/.exec(task)!;
    const machine = machineFor(variables, Number(probability));
    const names = variableNames(variables);
    const pairs = indexPairs(variables);
    const moved = (belief: Shares, text: string) =>
      [...text.matchAll(/maybe swap (\w), (\w)/g)].reduce<Shares>((each, [, one, other]) => {
        const [i, j] = [names.indexOf(one), names.indexOf(other)];
        return afterAction(each, machine.actions[pairs.findIndex(([a, b]) => a === i && b === j)]);
      }, belief);
    let belief = moved(machine.start, task);
    for (const [i, { role, text }] of messages.entries()) {
      const [, name] = /^show\("(\w)"\)$/.exec(role === "assistant" ? text : "") ?? [];
      const [, value] = /"value":(\d+)/.exec(messages[i + 1]?.text ?? "") ?? [];
      if (name === undefined || value === undefined) continue;
      belief = afterAnswer(belief, machine.questions[names.indexOf(name)], Number(value) - 1);
      belief = moved(belief, messages[i + 1].text);
    }
    const { questions } = machine;
    return `show("${names[revealChoices[choice]({ belief, questions, asked: turn, rng })]}")`;
  },
};
