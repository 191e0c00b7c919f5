/**
 * @file Active reveals: values are permuted by commands that may not have happened; k times the agent chooses a
 * variable to reveal. The score is the remaining entropy.
 *
 *     a, b, c = 1, 2, 3
 *     maybe swap b, c                        show("c")  ->  {"value": 2, "then": ["maybe swap a, b", ...]}
 *
 *     nats = H(state | commands, answers), exactly, after the last of the k answers        share = 1 - nats / ln n!
 *
 * A reveal is a function of the state, so its expected gain is the entropy of that variable. For three variables the
 * optimum is known (src/analysis/belief/active.ts).
 */

import { z } from "zod";
import { entropy, type RevealChoice, revealChoices } from "../../../core/active-query.ts";
import type { Shares } from "../../../core/automata.ts";
import { afterAction, afterAnswer, drawMove, type Machine } from "../../../core/hidden-markov.ts";
import { indexPairs, permutationMachine } from "../../../core/permutation-walk.ts";
import type { Rng } from "../../../core/rng.ts";
import { maybeWalk } from "../../../tasks/active-reveals.ts";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import { definePolicy } from "../policies/policy.ts";

/** The commands before a reveal, and the hidden state after them. */
interface Round {
  readonly commands: readonly number[];
  readonly state: number;
}

export interface Reveals {
  readonly variables: number;
  readonly probability: number;
  readonly rounds: readonly Round[];
  /** Indices of the revealed variables. */
  readonly shown: readonly number[];
}

const Params = z.strictObject({
  variables: z.int().min(2).max(5).default(3).describe("Number of variables"),
  probability: z.number().min(0).max(1).default(0.5).describe("Probability of each swap"),
  spacing: z.int().min(1).max(100).default(2).describe("Commands before each reveal"),
  shows: z.int().min(1).max(1000).default(4).describe("Number of reveals"),
});
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [
  { name: "show", parameters: ["variable"], words: "its value, and the commands that come then" },
];

export const reveals: World<Params, Reveals> = {
  name: "reveals",
  summary: "hidden random swaps: which variable should be revealed?",
  source: "own definition",
  params: Params,
  tools,

  draw: ({ variables, probability, spacing, shows }, rng) => ({
    ...{ variables, probability, shown: [] },
    rounds: roundsOf(machineFor(variables, probability), spacing, shows, rng),
  }),

  task: ({ variables, probability, rounds }) =>
    [
      `${variableNames(variables).join(", ")} = ${variableNames(variables)
        .map((_, i) => i + 1)
        .join(", ")}`,
      ...wordsOf(variables, rounds[0].commands),
      `Each swap has happened with probability ${probability}; whether it has is not told.`,
      `${rounds.length} times a variable is shown, one a turn: choose so that what all of them hold is as certain as can be after the last.`,
      toolWords(tools),
    ].join("\n"),

  act(state, call) {
    const wrong = wrongCall(tools, call);
    if (wrong !== undefined) return { state, answer: wrong };
    if (reveals.isOver(state)) return { state, answer: refused("RuntimeError", "no more is shown") };
    const { variables, probability, rounds, shown } = state;
    const variable = variableNames(variables).indexOf(call.arguments[0] as string);
    if (variable < 0) return { state, answer: refused("KeyError", "there is no such variable") };
    const { questions } = machineFor(variables, probability);
    const value = questions[variable].answer[rounds[shown.length].state] + 1;
    const then = wordsOf(variables, rounds[shown.length + 1]?.commands ?? []);
    return { state: { ...state, shown: [...shown, variable] }, answer: { value: { value, then } } };
  },

  isOver: ({ rounds, shown }) => shown.length >= rounds.length,

  score(state) {
    const { variables, rounds, shown } = state;
    const most = Math.log(machineFor(variables, state.probability).states);
    const nats = entropy(beliefOf(state));
    return { share: 1 - nats / most, nats, shown: shown.length, shows: rounds.length };
  },
};

export const variableNames = (variables: number) =>
  Array.from({ length: variables }, (_, i) => String.fromCharCode(97 + i));

const machines = new Map<string, Machine>();

/** Worked out once for each number of variables and each probability. */
export function machineFor(variables: number, probability: number): Machine {
  const key = `${variables} ${probability}`;
  const known = machines.get(key) ?? permutationMachine(maybeWalk(variables, probability));
  machines.set(key, known);
  return known;
}

function roundsOf({ actions }: Machine, spacing: number, shows: number, rng: Rng): Round[] {
  let state = 0;
  return Array.from({ length: shows }, () => {
    const commands = Array.from({ length: spacing }, () => {
      const action = rng.below(actions.length);
      state = drawMove(actions[action], state, rng);
      return action;
    });
    return { commands, state };
  });
}

/** `maybe swap a, b` */
const wordsOf = (variables: number, commands: readonly number[]) => {
  const names = variableNames(variables);
  const pairs = indexPairs(variables);
  return commands.map((at) => `maybe swap ${names[pairs[at][0]]}, ${names[pairs[at][1]]}`);
};

/** The belief given all commands and answers. */
function beliefOf({ variables, probability, rounds, shown }: Reveals): Shares {
  const { start, actions, questions } = machineFor(variables, probability);
  return rounds.reduce<Shares>((belief, { commands, state }, i) => {
    const moved = commands.reduce<Shares>((each, at) => afterAction(each, actions[at]), belief);
    const question = questions[shown[i]];
    return question === undefined ? moved : afterAnswer(moved, question, question.answer[state]);
  }, start);
}

const choices = Object.keys(revealChoices) as [RevealChoice, ...RevealChoice[]];
/** Revealing: follows what may have happened, exactly, and asks for a variable by one of the rules of core/active-query.ts. */
export const revealing = definePolicy({
  name: "revealing",
  summary: "asks for a variable: random, round-robin or greedy (revealing.choice)",
  params: z.strictObject({ choice: z.enum(choices).default("greedy").describe("Choice of the variable") }),
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
});
