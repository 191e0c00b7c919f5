/**
 * @file Generates one program with hidden outcomes: start, commands, and a reveal after every `spacing` of them.
 *
 *     spacing drawn · initial order · per command: kind, pairs, outcome · per partial reveal: which variable
 *
 * The order of draws is part of every data set ever made with it.
 */

import { z } from "zod";
import { shuffle } from "../../core/permutations.ts";
import { rngFrom } from "../../core/rng.ts";
import type { Prepared, Sink } from "../task.ts";
import { commandDrawer, commandKinds, type Parts, partWriter, printParts, sampleParts } from "./commands.ts";

interface SessionWords {
  readonly words: readonly string[];
  readonly variables: readonly string[];
  readonly values: readonly string[];
}

export function sessionWriter(
  params: PfsaParams,
  spacings: readonly number[],
  { words, variables, values: valueNames }: SessionWords,
): Prepared["write"] {
  const n = params.variables;
  const write = partWriter(words);
  const command = commandDrawer(variables, params.probability);
  const values = new Int32Array(n);
  const before = new Int32Array(n);

  function reveal(sink: Sink, variable: number): void {
    write(sink, printParts(variables[variable]));
    sink.reveal(variable, values[variable]);
    write(sink, [valueNames[values[variable]], "\n"]);
  }

  return (rng, sink) => {
    const spacing = spacings[rng.below(spacings.length)];
    for (let i = 0; i < n; i++) values[i] = i;
    shuffle(values, rng);
    write(sink, startParts(params, variables, valueNames, values));
    sink.state(values);
    for (let ran = 1; ran <= params.commands; ran++) {
      const kind = params.commandKinds[rng.below(params.commandKinds.length)];
      const { parts, outcome } = command(kind, rng);
      write(sink, parts);
      before.set(values);
      for (let i = 0; i < n; i++) values[i] = before[outcome[i]];
      sink.state(values);
      if (ran % spacing !== 0) continue;
      if (isFull(params, ran / spacing)) for (let i = 0; i < n; i++) reveal(sink, i);
      else reveal(sink, rng.below(n));
    }
  };
}

/** Reveals are counted from 1. */
function isFull({ fullEvery }: PfsaParams, reveal: number): boolean {
  return fullEvery > 0 && reveal % fullEvery === 0;
}

function startParts(
  { start }: PfsaParams,
  variables: readonly string[],
  valueNames: readonly string[],
  values: ArrayLike<number>,
): Parts {
  const lines =
    start === "hidden"
      ? [...sampleParts(variables, valueNames), "\n"]
      : variables.flatMap((name, i) => [name, " = ", valueNames[values[i]], "\n"]);
  return ["import random\n", ...lines];
}

/** The sizes of the longest program, with the narrowest spacing and the longest kind of command throughout. */
export function longestProgram(
  params: PfsaParams,
  spacing: number,
  { variables, values }: SessionWords,
): { readonly maximumWords: number; readonly maximumCharacters: number } {
  const n = params.variables;
  const command = commandDrawer(variables, params.probability);
  const prints = Math.floor(params.commands / spacing);
  const full = params.fullEvery === 0 ? 0 : Math.floor(prints / params.fullEvery);
  const reveals = prints + full * (n - 1);
  const print = [...printParts(variables[0]), values[0], "\n"];
  const start = startParts(
    params,
    variables,
    values,
    values.map((_, i) => i),
  );
  // Any draw will do: names and digits are one character each, so a kind has one size.
  const kinds = params.commandKinds.map((kind) => command(kind, rngFrom(0)).parts);
  const total = (size: (parts: Parts) => number) =>
    size(start) + params.commands * Math.max(...kinds.map(size)) + reveals * size(print);
  return {
    maximumWords: total((parts) => parts.length),
    maximumCharacters: total((parts) => parts.join("").length),
  };
}

const Spacing = z.int().min(1);

export const PfsaParams = z.strictObject({
  variables: z.int().min(2).max(6).default(3).describe("Number of variables, whose n! orders are the states"),
  commandKinds: z
    .array(z.enum(commandKinds))
    .min(1)
    .default(["maybe"])
    .describe("Kinds of commands, one of which is drawn per command"),
  probability: z
    .number()
    .min(0.001)
    .max(0.999)
    .multipleOf(0.001)
    .default(0.5)
    .describe("Probability of `maybe` and of the first line of `either`, with up to three digits"),
  commands: z.int().min(1).max(1_000_000).default(12).describe("Commands per example"),
  spacing: z
    .union([Spacing, z.array(Spacing).min(1)])
    .default(4)
    .describe("Commands per reveal, drawn once per example if a list"),
  fullEvery: z.int().min(0).default(0).describe("Every n-th reveal prints all variables, 0 for none"),
  start: z.enum(["shown", "hidden"]).default("shown").describe("Whether the text shows the initial values"),
});
export type PfsaParams = z.infer<typeof PfsaParams>;
