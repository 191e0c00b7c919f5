/**
 * @file Programs with hidden outcomes: values are permuted by random commands, and printed.
 *
 *     import random
 *     a = 2                                       start shown, or hidden: a, b, c = random.sample([1, 2, 3], 3)
 *     b = 3
 *     c = 1
 *     if random.random() < 0.5: a, b = b, a       a command; commands.ts lists the four kinds
 *     print('a', a)                               a reveal after every `spacing` commands: of one variable, or of all
 *     a 3                                         at every `fullEvery`-th
 *
 * A probabilistic automaton with n! states, visible actions, and exact reveals. Each reveal of an example has the exact posterior:
 * the probability of every value given all above it. References: `exactBayes` is the accuracy of the most likely answer.
 * `windowedBayes` sees only the last W commands, W being twice the widest spacing.
 *
 * Source: the task is named in Siems et al. 2026, arXiv:2602.14814. Its form is our own.
 */

import { fail } from "../core/error.ts";
import { permutationStates } from "../core/permutation-walk.ts";
import { wordsFor } from "./pfsa/commands.ts";
import { longestProgram, PfsaParams, sessionWriter } from "./pfsa/generator.ts";
import { machineReader } from "./pfsa/parser.ts";
import { exactPosteriors, guessReferences } from "./posterior.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Prepared } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

export { PfsaParams };

export const pfsa = defineTask<PfsaParams>({
  name: "pfsa",
  summary: "a Python program with hidden random permutations, which prints some values",
  source: "arXiv:2602.14814",
  params: PfsaParams,
  prepare: preparePfsa,
  ask: () => ({
    instruction:
      "Below are Python programs together with what they printed; what their random numbers were is not shown. ?? stands for the value that was printed last. Say the likeliest value alone",
    language: "Python",
    answers: "literal",
    question: lastReveal,
  }),
});

function preparePfsa(params: PfsaParams): Prepared {
  const spacings = [params.spacing].flat();
  const widest = Math.max(...spacings);
  if (widest > params.commands) {
    const hint = "With a wider spacing no reveal would follow a command";
    fail("pfsa", `every spacing to be at most the number of commands (${params.commands})`, widest, hint);
  }
  const needsPairs = params.commandKinds.find((kind) => kind === "either" || kind === "hidden");
  if (params.variables < 3 && needsPairs !== undefined) {
    fail(
      "pfsa",
      `at least 3 variables for commandKinds: ${needsPairs}`,
      params.variables,
      "Two have one pair",
    );
  }
  const variables = VARIABLES.slice(0, params.variables);
  const session = {
    words: wordsFor(variables),
    variables,
    values: variables.map((_, i) => String(i + 1)),
  };
  const read = machineReader(params.variables);
  const { states } = permutationStates(params.variables);
  return {
    ...session,
    ...longestProgram(params, Math.min(...spacings), session),
    write: sessionWriter(params, spacings, session),
    posterior: ({ text }) => exactPosteriors(read(text)),
    hidden: {
      read: (text, assumed) =>
        (assumed === undefined ? read : machineReader(params.variables, assumed))(text),
      values: (state) => states[state],
    },
    references: guessReferences(read, 2 * widest),
  };
}
