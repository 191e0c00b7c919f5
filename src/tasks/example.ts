/**
 * @file An example as text, with the character offsets of its reveals and of its true states.
 *
 *     exampleFrom(prepared, rng).text.slice(reveal.start, reveal.end) === reveal.value
 */

import type { Rng } from "../math/rng.ts";
import type { Example, Prepared, Reveal, Sink, StateAt } from "./task.ts";

/** Draws one example as text. */
export function exampleFrom(prepared: Prepared, rng: Rng): Example {
  const { words, variables, values } = prepared;
  let text = "";
  const reveals: Reveal[] = [];
  const states: StateAt[] = [];
  const sink: Sink = {
    word(index) {
      text += words[index];
    },
    reveal(variable, value) {
      const start = text.length;
      const end = start + values[value].length;
      // The first state is the initial one: after it, each command leaves one more.
      const commands = Math.max(0, states.length - 1);
      reveals.push({ start, end, variable: variables[variable], value: values[value], commands });
    },
    state(held) {
      const named: Record<string, string> = {};
      for (let i = 0; i < variables.length; i++) named[variables[i]] = values[held[i]];
      states.push({ end: text.length, values: named });
    },
  };
  prepared.write(rng, sink);
  return { text, reveals, states };
}

/** Draws one example as word indices. */
export function wordsFrom(prepared: Prepared, rng: Rng): number[] {
  const words: number[] = [];
  prepared.write(rng, { word: (index) => words.push(index), reveal: ignore, state: ignore });
  return words;
}

function ignore(): void {}
