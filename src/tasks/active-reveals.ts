/**
 * @file Active reveals: after hidden random swaps, the most informative variable is printed. Which one is it?
 *
 *     import random
 *     a = 2
 *     b = 1
 *     c = 3
 *     if random.random() < 0.5: a, b = b, a
 *     if random.random() < 0.5: b, c = c, b
 *     print('a', a)                                     asked: the first a; the rest follows
 *     a 1
 *
 * The value of an answer is the entropy of that variable's predictive distribution; ties go to the first variable. So an accurate model
 * prints what the greedy policy would, and can act as a policy itself. Random choice is right as often as `anyOf` says.
 *
 * Source: own definition, on the programs of `pfsa`.
 */

import { z } from "zod";
import { revealChoices } from "../core/active-query.ts";
import { afterAction, afterAnswer } from "../core/hidden-markov.ts";
import { indexPairs, maybeSwap, type PermutationWalk, permutationMachine } from "../core/permutation-walk.ts";
import { shuffle } from "../core/permutations.ts";
import { noNumbers } from "../core/rng.ts";
import { commandDrawer, partWriter, printParts, wordsFor } from "./pfsa/commands.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Prepared } from "./task.ts";

export const ActiveRevealsParams = z.strictObject({
  variables: z.int().min(2).max(5).default(3).describe("Number of variables, whose n! orders are the states"),
  probability: z
    .number()
    .min(0.001)
    .max(0.999)
    .multipleOf(0.001)
    .default(0.5)
    .describe("Probability of each swap, with up to three digits"),
  spacing: z.int().min(1).max(1000).default(2).describe("Commands before each print"),
  prints: z.int().min(1).max(100_000).default(6).describe("Prints per example"),
});
export type ActiveRevealsParams = z.infer<typeof ActiveRevealsParams>;

export const activeReveals = defineTask<ActiveRevealsParams>({
  name: "active-reveals",
  summary: "a Python program with hidden random swaps: which variable is most informative?",
  source: "own definition",
  params: ActiveRevealsParams,
  prepare: prepareActiveReveals,
  ask: ({ variables }) => ({
    instruction:
      "Below are Python programs together with what they printed; what their random numbers were is not shown. Each prints the variable whose value is least certain given all above, of equals the first in the alphabet. ?? stands for its name in the last print. Say that name alone",
    language: "Python",
    answers: VARIABLES.slice(0, variables),
    question({ text, reveals }) {
      const { start, value, commands } = reveals[reveals.length - 1];
      const thought = `After the last line what is least certain is ${value}.`;
      return { text: `${text.slice(0, start)}??`, expected: value, thought, steps: commands };
    },
  }),
});

/** The hidden Markov model of these programs: action k swaps pair k with this probability. */
export const maybeWalk = (variables: number, probability: number): PermutationWalk => ({
  variables,
  commands: indexPairs(variables).map(([i, j]) => maybeSwap(variables, i, j, probability)),
  start: "known",
});

function prepareActiveReveals({ variables: n, probability, spacing, prints }: ActiveRevealsParams): Prepared {
  const names = VARIABLES.slice(0, n);
  const numbers = names.map((_, i) => String(i + 1));
  const words = wordsFor(names);
  const write = partWriter(words);
  const draw = commandDrawer(names, probability);
  // Values are named after their initial variable, so that every program starts in state 0.
  const machine = permutationMachine(maybeWalk(n, probability));
  const actions = new Map(
    indexPairs(n).map(([i, j], action) => [`${names[i]}, ${names[j]}`, machine.actions[action]]),
  );
  const line = [...draw("maybe", noNumbers).parts];
  const print = [...printParts(names[0]), numbers[0], "\n"];
  return {
    words,
    variables: [...names, "printed"],
    values: [...numbers, ...names],
    maximumWords: 1 + 4 * n + prints * (spacing * line.length + print.length),
    maximumStates: 1 + prints * spacing,
    write(rng, sink) {
      const first = Int32Array.from(names, (_, i) => i);
      shuffle(first, rng);
      const held = first.slice();
      const state = new Int32Array(n + 1);
      const say = (printed: number) => {
        state.set(held);
        state[n] = printed;
        sink.state(state);
      };
      write(sink, ["import random\n", ...names.flatMap((name, i) => [name, " = ", numbers[held[i]], "\n"])]);
      say(-1);
      let belief = machine.start;
      for (let asked = 0; asked < prints; asked++) {
        let chosen = -1;
        for (let ran = 1; ran <= spacing; ran++) {
          const { parts, outcome } = draw("maybe", rng);
          write(sink, parts);
          const before = held.slice();
          for (let i = 0; i < n; i++) held[i] = before[outcome[i]];
          const [, pair] = /: (\w, \w) = /.exec(parts.join(""))!; // a command names its pair
          belief = afterAction(belief, actions.get(pair)!);
          if (ran === spacing)
            chosen = revealChoices.greedy({ belief, questions: machine.questions, asked, rng: noNumbers });
          say(chosen < 0 ? -1 : n + chosen);
        }
        const [open, , ...rest] = printParts(names[chosen]);
        write(sink, [open]);
        sink.reveal(n, n + chosen);
        write(sink, [names[chosen], ...rest, numbers[held[chosen]], "\n"]);
        belief = afterAnswer(belief, machine.questions[chosen], first.indexOf(held[chosen]));
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      anyOf: ({ reveals }) => reveals.map(() => 1 / n),
    },
    // The target depends only on what is visible; the recorded state does not.
    posterior: (example) =>
      [...example.text.matchAll(/^print\('(\w)'/gm)].map(([, name]) =>
        [...numbers, ...names].map((value) => Number(value === name)),
      ),
  };
}
