/**
 * @file Draws one REPL session, word by word: initial values, commands, and a reveal after every `spacing` of them.
 *
 *     spacing drawn · initial order · per command: which variables · per partial reveal: which variable
 *
 * The order of draws is part of every data set ever made with it.
 */

import { shuffle } from "../../math/permutations.ts";
import type { Rng } from "../../math/rng.ts";
import type { ReplParams } from "../repl.ts";
import type { Prepared, Sink } from "../task.ts";
import type { ReplWords } from "./words.ts";

/** The function that draws one session into a sink. Its scratch arrays are its own: it holds no state between calls. */
export function sessionWriter(
  params: ReplParams,
  spacings: readonly number[],
  w: ReplWords,
): Prepared["write"] {
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
export function longestSession(params: ReplParams, spacing: number, w: ReplWords) {
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
