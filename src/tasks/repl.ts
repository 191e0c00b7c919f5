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
 * The state is what each variable holds. Where `commands` is not a multiple of the spacing the session ends with
 * commands that nothing reveals. A swap names its two variables in alphabetical order. A permutation is uniform over
 * all n!, the identity included. The `script` style is the same without the prompt.
 *
 * Source: Siems, Grazzi, Kalinin, Ballani and Rahmani 2026, arXiv:2602.14814.
 */

import { z } from "zod";
import { shuffle } from "../math/permutations.ts";
import type { Rng } from "../math/rng.ts";
import { fail } from "../records/error.ts";
import { exactBayes, windowedBayes } from "./repl/bayes.ts";
import { readProgram } from "./repl/program.ts";
import { type ReplWords, replWords } from "./repl/words.ts";
import { defineTask, type Example, type Prepared, type Sink } from "./task.ts";

const Spacing = z.int().min(1);

export const ReplParams = z.strictObject({
  /** n: 2 to 8 variables, a to h. */
  variables: z.int().min(2).max(8).default(3),
  commandKind: z.enum(["swap", "permutation"]).default("swap"),
  commands: z.int().min(1).max(1_000_000).default(12),
  /** Commands per reveal; of a list one is drawn for each example, all equally likely. */
  spacing: z.union([Spacing, z.array(Spacing).min(1)]).default(4),
  reveal: z.enum(["partial", "full"]).default("partial"),
  /** Also reveal directly after the initial values, before the first command. */
  revealInitial: z.boolean().default(false),
  /** Values are independent digits 0 to 9 instead of a random order of 1..n. */
  repeatedValues: z.boolean().default(false),
  promptStyle: z.enum(["repl", "script"]).default("repl"),
});
export type ReplParams = z.infer<typeof ReplParams>;

export const repl = defineTask<ReplParams>({
  name: "repl",
  summary: "a Python session that permutes the values of its variables and sometimes prints one",
  source: "arXiv:2602.14814",
  params: ReplParams,
  prepare: prepareRepl,
});

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
    ...longest(params, Math.min(...spacings), words),
    write: replWriter(params, spacings, words),
    references: replReferences({ window: 2 * widest, repeatedValues: params.repeatedValues }),
  };
}

/** The references of the report; `window` is W, by default (in `prepare`) twice the widest spacing. */
export function replReferences(options: { readonly window: number; readonly repeatedValues: boolean }) {
  const { window } = options;
  const digits = options.repeatedValues ? 10 : undefined;
  return {
    exactBayes: ({ text }: Example) => exactBayes(readProgram(text)),
    windowedBayes: ({ text }: Example) =>
      windowedBayes(readProgram(text), { window, boundary: true, digits }),
    windowedBayesWithoutBoundary: ({ text }: Example) =>
      windowedBayes(readProgram(text), { window, boundary: false, digits }),
  };
}

/** The function that draws one session into a sink. Its scratch arrays are its own: it holds no state between calls. */
function replWriter(params: ReplParams, spacings: readonly number[], w: ReplWords): Prepared["write"] {
  const n = params.variables;
  const values = new Int32Array(n);
  const previous = new Int32Array(n);
  const sources = new Int32Array(n);

  function assign(sink: Sink, first: number, second: number): void {
    if (w.prompt !== undefined) sink.word(w.prompt);
    sink.word(w.firstVariable + first);
    sink.word(w.comma);
    sink.word(w.firstVariable + second);
    sink.word(w.equals);
    sink.word(w.firstVariable + second);
    sink.word(w.comma);
    sink.word(w.firstVariable + first);
    sink.word(w.newline);
  }

  function swap(rng: Rng, sink: Sink): void {
    const one = rng.below(n);
    const draw = rng.below(n - 1);
    const other = draw < one ? draw : draw + 1;
    assign(sink, Math.min(one, other), Math.max(one, other));
    const kept = values[one];
    values[one] = values[other];
    values[other] = kept;
  }

  function permute(rng: Rng, sink: Sink): void {
    for (let i = 0; i < n; i++) sources[i] = i;
    shuffle(sources, rng);
    if (w.prompt !== undefined) sink.word(w.prompt);
    for (let i = 0; i < n; i++) {
      if (i > 0) sink.word(w.comma);
      sink.word(w.firstVariable + i);
    }
    sink.word(w.equals);
    for (let i = 0; i < n; i++) {
      if (i > 0) sink.word(w.comma);
      sink.word(w.firstVariable + sources[i]);
    }
    sink.word(w.newline);
    previous.set(values);
    for (let i = 0; i < n; i++) values[i] = previous[sources[i]];
  }

  function reveal(sink: Sink, variable: number): void {
    if (w.prompt !== undefined) sink.word(w.prompt);
    sink.word(w.print);
    sink.word(w.firstVariable + variable);
    sink.word(w.printed);
    sink.word(w.firstVariable + variable);
    sink.word(w.close);
    sink.word(w.newline);
    sink.word(w.firstVariable + variable);
    sink.word(w.space);
    sink.reveal(variable, values[variable]);
    sink.word(w.firstValue + values[variable]);
    sink.word(w.newline);
  }

  function print(rng: Rng, sink: Sink): void {
    if (params.reveal === "partial") reveal(sink, rng.below(n));
    else for (let i = 0; i < n; i++) reveal(sink, i);
  }

  function initialise(rng: Rng, sink: Sink): void {
    for (let i = 0; i < n; i++) values[i] = params.repeatedValues ? rng.below(10) : i;
    if (!params.repeatedValues) shuffle(values, rng);
    for (let i = 0; i < n; i++) {
      if (w.prompt !== undefined) sink.word(w.prompt);
      sink.word(w.firstVariable + i);
      sink.word(w.equals);
      sink.word(w.firstValue + values[i]);
      sink.word(w.newline);
    }
  }

  return (rng, sink) => {
    const spacing = spacings[rng.below(spacings.length)];
    initialise(rng, sink);
    sink.state(values);
    if (params.revealInitial) print(rng, sink);
    let untilReveal = spacing;
    for (let command = 0; command < params.commands; command++) {
      if (params.commandKind === "swap") swap(rng, sink);
      else permute(rng, sink);
      sink.state(values);
      if (--untilReveal === 0) {
        print(rng, sink);
        untilReveal = spacing;
      }
    }
  };
}

/** The sizes of the longest session, with the narrowest spacing. Names and values are one character each. */
function longest(params: ReplParams, spacing: number, w: ReplWords) {
  const n = params.variables;
  const prompt = w.prompt === undefined ? 0 : 1;
  const promptCharacters = 4 * prompt;
  const named = params.commandKind === "swap" ? 2 : n;
  const prints = Math.floor(params.commands / spacing) + (params.revealInitial ? 1 : 0);
  const reveals = prints * (params.reveal === "full" ? n : 1);
  return {
    maximumWords: n * (prompt + 4) + params.commands * (prompt + 4 * named) + reveals * (prompt + 10),
    // "a = 1\n", then for a command "a, b" twice around " = ", then "print('a', a)\na 1\n".
    maximumCharacters:
      n * (promptCharacters + 6) +
      params.commands * (promptCharacters + 2 * (3 * named - 2) + 4) +
      reveals * (promptCharacters + 18),
  };
}
