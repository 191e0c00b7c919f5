/**
 * @file Generates one REPL session, word by word: initial values, commands, and a reveal after every `spacing` of them.
 *
 *     spacing drawn · initial order · per command: which variables · per partial reveal: which variable
 *
 * The order of draws is part of every data set ever made with it.
 */

import { z } from "zod";
import { shuffle } from "../../core/permutations.ts";
import type { Rng } from "../../core/rng.ts";
import { type Prepared, type Sink, writeWords } from "../task.ts";
import { commandSize, commandWriter } from "./commands.ts";
import type { ReplWords } from "./vocabulary.ts";

/** The function that draws one session into a sink. It reuses scratch arrays but keeps no state between calls. */
export function sessionWriter(
  params: ReplParams,
  spacings: readonly number[],
  w: ReplWords,
): Prepared["write"] {
  const n = params.variables;
  const values = new Int32Array(n);
  const command = commandWriter(params.commandKind, n, w);

  function reveal(sink: Sink, variable: number): void {
    if (w.prompt !== undefined) sink.word(w.prompt);
    sink.word(w.print);
    writeWords(
      sink,
      w.firstVariable + variable,
      w.printed,
      w.firstVariable + variable,
      w.close,
      w.newline,
      w.firstVariable + variable,
      w.space,
    );
    sink.reveal(variable, values[variable]);
    writeWords(sink, w.firstValue + values[variable], w.newline);
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
      writeWords(sink, w.equals, w.firstValue + values[i], w.newline);
    }
  }

  return (rng, sink) => {
    const spacing = spacings[rng.below(spacings.length)];
    initialise(rng, sink);
    sink.state(values);
    if (params.revealInitial) print(rng, sink);
    let untilReveal = spacing;
    for (let ran = 0; ran < params.commands; ran++) {
      command(rng, sink, values);
      sink.state(values);
      if (--untilReveal === 0) {
        print(rng, sink);
        untilReveal = spacing;
      }
    }
  };
}

/** The sizes of the longest session, with the narrowest spacing. Names and values are one character each. */
export function longestSession(params: ReplParams, spacing: number, w: ReplWords) {
  const n = params.variables;
  const prompt = w.prompt === undefined ? 0 : 1;
  const promptCharacters = 4 * prompt;
  const command = commandSize(params.commandKind, n);
  const prints = Math.floor(params.commands / spacing) + (params.revealInitial ? 1 : 0);
  const reveals = prints * (params.reveal === "full" ? n : 1);
  return {
    maximumWords: n * (prompt + 4) + params.commands * (prompt + command.words) + reveals * (prompt + 10),
    // "a = 1\n", commands, then "print('a', a)\na 1\n".
    maximumCharacters:
      n * (promptCharacters + 6) +
      params.commands * (promptCharacters + command.characters) +
      reveals * (promptCharacters + 18),
  };
}

const Spacing = z.int().min(1);

export const ReplParams = z.strictObject({
  variables: z.int().min(2).max(8).default(3).describe("Number of variables, a to h"),
  commandKind: z
    .enum(["swap", "permutation"])
    .default("swap")
    .describe("A swap of two variables, or a permutation of all"),
  commands: z.int().min(1).max(1_000_000).default(12).describe("Commands per session"),
  spacing: z
    .union([Spacing, z.array(Spacing).min(1)])
    .default(4)
    .describe("Commands per reveal, drawn once per session if a list"),
  reveal: z.enum(["partial", "full"]).default("partial").describe("Prints one variable, or all"),
  revealInitial: z.boolean().default(false).describe("Reveals before the first command, too"),
  repeatedValues: z
    .boolean()
    .default(false)
    .describe("Values are independent digits instead of a random order of 1 to n"),
  promptStyle: z.enum(["repl", "script"]).default("repl").describe("A REPL session, or a script"),
});
export type ReplParams = z.infer<typeof ReplParams>;
