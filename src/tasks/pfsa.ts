/**
 * @file Programs with hidden outcomes: values are permuted by commands of which only the line is seen, and printed.
 *
 *     import random
 *     a = 2                                       start shown, or hidden: a, b, c = random.sample([1, 2, 3], 3)
 *     b = 3
 *     c = 1
 *     if random.random() < 0.5: a, b = b, a       a command; commands.ts lists the four kinds
 *     print('a', a)                               a reveal after every `spacing` commands: of one variable, or of all
 *     a 3                                         at every `fullEvery`-th
 *
 * A probabilistic automaton with n! states, actions that are seen, and exact reveals. Each reveal of an example has the
 * exact posterior: the probability of every value given all above it. References: `exactBayes` is how often the best
 * guess is right, `windowedBayes` the same for who sees the last W commands, W being twice the widest spacing.
 *
 * Source: the task is named in Siems, Grazzi, Kalinin, Ballani and Rahmani 2026, arXiv:2602.14814; its form is our own.
 */

import { z } from "zod";
import { permutationStates } from "../math/permutation-walk.ts";
import { fail } from "../records/error.ts";
import { lastReveal } from "./in-words.ts";
import { commandKinds } from "./pfsa/commands.ts";
import { machineReader } from "./pfsa/machine.ts";
import { longestProgram, sessionWriter } from "./pfsa/session.ts";
import { wordsFor } from "./pfsa/words.ts";
import { exactPosteriors, guessReferences } from "./posterior.ts";
import { VARIABLES } from "./repl/words.ts";
import { defineTask, type Prepared } from "./task.ts";

const Spacing = z.int().min(1);

export const PfsaParams = z.strictObject({
  /** n: 2 to 6, of which there are n! orders. */
  variables: z.int().min(2).max(6).default(3),
  /** Each command's kind is drawn from these. */
  commandKinds: z.array(z.enum(commandKinds)).min(1).default(["maybe"]),
  /** Of `maybe` and of the first line of `either`; up to three digits. */
  probability: z.number().min(0.001).max(0.999).multipleOf(0.001).default(0.5),
  commands: z.int().min(1).max(1_000_000).default(12),
  /** Commands per reveal; of a list one is drawn for each example, all equally likely. */
  spacing: z.union([Spacing, z.array(Spacing).min(1)]).default(4),
  /** Every so many reveals all variables are printed; 0 is never, 1 always. */
  fullEvery: z.int().min(0).default(0),
  start: z.enum(["shown", "hidden"]).default("shown"),
});
export type PfsaParams = z.infer<typeof PfsaParams>;

export const pfsa = defineTask<PfsaParams>({
  name: "pfsa",
  summary: "a Python program that permutes values at random, unseen, and sometimes prints one",
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
