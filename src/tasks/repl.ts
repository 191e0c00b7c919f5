/**
 * @file REPL traces: a Python session that permutes the values of its variables and sometimes prints one.
 *
 *     >>> a = 1                   initial values: a random order of 1..n, or random digits (`repeatedValues`)
 *     >>> b = 2
 *     >>> c = 3
 *     >>> a, b = b, a             a command: a swap, or a permutation of all, `a, b, c = c, a, b`
 *     >>> print('a', a)           a reveal follows every `spacing` commands: of one variable (partial),
 *     a 2                         or of all of them in order, one print each (full)
 *
 * The state is the value of each variable. If `commands` is not a multiple of the spacing, the session ends with unrevealed commands. A
 * swap names its two variables in alphabetical order. A permutation is uniform over all n!, including the identity. The `script` style
 * is the same without the prompt.
 *
 * Source: Siems et al. 2026, arXiv:2602.14814.
 */

import { fail } from "../core/error.ts";
import { bayesReferences } from "./repl/bayes.ts";
import { longestSession, ReplParams, sessionWriter } from "./repl/generator.ts";
import { readProgram } from "./repl/parser.ts";
import { replWords } from "./repl/vocabulary.ts";
import { defineTask, type Prepared } from "./task.ts";
import { type InWords, lastReveal } from "./task-prompt.ts";

export { ReplParams };

export const repl = defineTask<ReplParams>({
  name: "repl",
  summary: "a Python session that permutes the values of its variables and prints some",
  source: "arXiv:2602.14814",
  params: ReplParams,
  prepare: prepareRepl,
  ask: () => lastPrint,
});

const lastPrint: InWords = {
  instruction:
    "Below are Python sessions whose last line of output is not finished: ?? stands for the value that is printed there. Say that value alone",
  language: "Python",
  answers: "literal",
  question: lastReveal,
};

function prepareRepl(params: ReplParams): Prepared {
  const spacings = [params.spacing].flat();
  const widest = Math.max(...spacings);
  if (widest > params.commands) {
    fail(
      "repl",
      `every spacing to be at most the number of commands (${params.commands})`,
      widest,
      "With a wider spacing no reveal would follow a command",
    );
  }
  const words = replWords(params.variables, params.repeatedValues, params.promptStyle);
  return {
    words: words.words,
    variables: words.variables,
    values: words.values,
    ...longestSession(params, Math.min(...spacings), words),
    maximumStates: params.commands + 1,
    write: sessionWriter(params, spacings, words),
    references: replReferences({ window: 2 * widest, repeatedValues: params.repeatedValues }),
  };
}

/** The references of the report; `window` is W, by default (in `prepare`) twice the widest spacing. */
export function replReferences(options: { readonly window: number; readonly repeatedValues: boolean }) {
  const digits = options.repeatedValues ? 10 : undefined;
  return bayesReferences(readProgram, { window: options.window, digits });
}
