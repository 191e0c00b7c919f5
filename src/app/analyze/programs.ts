/**
 * @file Converts examples of any task for analyses: each token with its class, position and number of preceding commands.
 *
 * A line that ends in a `state` is a command (the first is the initialization), every other line a reveal. For tasks without
 * lines, a command is the text between two states.
 */

import type { AskedPlace, Program, TokenClass } from "../../analysis/recording.ts";
import type { Rng } from "../../core/rng.ts";
import { idsOfWords } from "../../tasks/batch/rows.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";

/** `length` is T in training, where the last token of a task that asks for words is no input: here it is one where a command ends with it. */
export function programFrom(prepared: Prepared, tokenizer: Tokenizer, rng: Rng, length: number): Program {
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  const tokens: string[] = [];
  const classes: TokenClass[] = [];
  const places: number[] = [];
  const states: number[][] = [];
  const ends: number[] = [];
  const letters: string[] = [];
  const questions: AskedPlace[] = [];
  let line = 0; // its first token
  let lineBefore = 0;
  let lastReveal = -1;
  const sink: Sink = {
    word(index) {
      for (const id of ids.subarray(starts[index], starts[index + 1])) {
        places.push(tokens.length - line);
        classes.push(states.length === 0 ? "initialisation" : "reveal");
        tokens.push(tokenizer.tokens[id]);
      }
      if (prepared.words[index].endsWith("\n")) [lineBefore, line] = [line, tokens.length];
    },
    reveal(variable, value) {
      // `print('a', a)` and its output are one reveal: places go on.
      const isOutput = lineBefore < line && lineBefore > (ends.at(-1) ?? -1) && lineBefore > lastReveal;
      if (isOutput) {
        for (let t = line; t < tokens.length; t++) places[t] = t - lineBefore;
        line = lineBefore;
      }
      lastReveal = tokens.length;
      questions.push({ position: tokens.length - 1, variable, value });
    },
    target: (variable, value) => questions.push({ position: tokens.length - 1, variable, value }),
    state(held) {
      const from = line === tokens.length ? lineBefore : line;
      if (states.length > 0) {
        classes.fill("command", from, tokens.length);
        letters.push(tokens.slice(from).join(""));
      }
      states.push(Array.from(held));
      ends.push(tokens.length - 1);
      [lineBefore, line] = [tokens.length, tokens.length];
    },
  };
  prepared.write(rng, sink);
  const kept = Math.min(tokens.length, Math.max(length, (ends.at(-1) ?? -1) + 1));
  let done = -1;
  const commands = tokens.slice(0, kept).map((_, t) => {
    while (done + 1 < ends.length && ends[done + 1] <= t) done++;
    return done;
  });
  return {
    tokens: tokens.slice(0, kept),
    classes: classes.slice(0, kept),
    places: places.slice(0, kept),
    commands,
    letters,
    states,
    ends,
    questions,
  };
}
