/**
 * @file Asserts: a Python program that permutes the values of its variables and sometimes asserts one.
 *
 *     a, b, c, d, e = range(5)        the initial values are always 0 .. n − 1
 *     a, c = c, a                     a command, as in `repl`
 *     assert a == 2                   a reveal after every `spacing` commands,
 *     b, c = c, b
 *     assert b == 0                   and always one after the last command
 *
 * The asserted variable is uniformly random. References as in `repl`, with a window that knows the fixed start.
 *
 * Source: Olmo Hybrid, arXiv:2604.03444, appendix C. That the asserted variable is drawn, and the spacing, are our own.
 */

import { z } from "zod";
import type { Rng } from "../core/rng.ts";
import { orderedReferences } from "./repl/bayes-ordered-start.ts";
import { commandSize, commandWriter } from "./repl/commands.ts";
import { readAsserts } from "./repl/parser.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Prepared, type Sink, writeList, writeWords } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const Spacing = z.int().min(1);

const AssertsParams = z.strictObject({
  variables: z.int().min(2).max(8).default(5).describe("Number of variables, a to h"),
  commandKind: z
    .enum(["swap", "permutation"])
    .default("swap")
    .describe("A swap of two variables, or a permutation of all"),
  commands: z.int().min(1).max(1_000_000).default(16).describe("Commands per example"),
  spacing: z
    .union([Spacing, z.array(Spacing).min(1)])
    .default(4)
    .describe("Commands per assert, drawn once per example if a list"),
});
type AssertsParams = z.infer<typeof AssertsParams>;

export const asserts = defineTask<AssertsParams>({
  name: "asserts",
  summary: "a Python program that permutes the values of its variables and asserts some",
  source: "arXiv:2604.03444",
  params: AssertsParams,
  prepare: prepareAsserts,
  ask: () => lastAssertion,
});

const SYMBOLS = ["\n", " = ", ", ", "assert ", " == "];
const [newline, equals, comma, assert, is] = SYMBOLS.keys();

function prepareAsserts({ variables: n, commandKind, commands, spacing }: AssertsParams): Prepared {
  const variables = VARIABLES.slice(0, n);
  const values = variables.map((_, i) => String(i));
  const range = `range(${n})`;
  const words = [...SYMBOLS, range, ...variables, ...values];
  const firstVariable = SYMBOLS.length + 1;
  const firstValue = firstVariable + n;
  const command = commandWriter(commandKind, n, { newline, equals, comma, firstVariable });
  const held = new Int32Array(n);

  function reveal(rng: Rng, sink: Sink): void {
    const variable = rng.below(n);
    writeWords(sink, assert, firstVariable + variable, is);
    sink.reveal(variable, held[variable]);
    writeWords(sink, firstValue + held[variable], newline);
  }

  const spacings = [spacing].flat();
  const size = commandSize(commandKind, n);
  const reveals = Math.floor((commands - 1) / Math.min(...spacings)) + 1;
  return {
    words,
    variables,
    values,
    maximumWords: 2 * n + 2 + commands * size.words + reveals * 5,
    maximumCharacters:
      3 * n -
      2 +
      " = \n".length +
      range.length +
      commands * size.characters +
      reveals * "assert a == 1\n".length,
    write(rng, sink) {
      const every = spacings[rng.below(spacings.length)];
      for (let i = 0; i < n; i++) held[i] = i;
      writeList(sink, comma, n, (i) => firstVariable + i);
      writeWords(sink, equals, SYMBOLS.length, newline);
      sink.state(held);
      for (let ran = 1; ran <= commands; ran++) {
        command(rng, sink, held);
        sink.state(held);
        if (ran % every === 0 || ran === commands) reveal(rng, sink);
      }
    },
    references: orderedReferences(readAsserts, {
      ...{ kind: commandKind, variables: n },
      window: 2 * Math.min(commands, Math.max(...spacings)),
    }),
  };
}
