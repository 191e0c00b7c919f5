/**
 * @file An example as text, with the character offsets of its reveals and true states.
 *
 *     exampleFrom(prepared, rng).text.slice(reveal.start, reveal.end) === reveal.value     of a task that asks for words
 *     reveal.start === reveal.end                                                           of one that asks for states
 */

import type { Rng } from "../core/rng.ts";
import type { Example, Prepared, Reveal, Sink, StateAt } from "./task.ts";

/** Draws one example as text. */
export function exampleFrom({ tokenized, ...own }: Prepared, rng: Rng): Example {
  const prepared = tokenized?.source ?? own;
  const { words, variables, values, writtenStates } = prepared;
  let text = "";
  const reveals: Reveal[] = [];
  const states: StateAt[] = [];
  const ask = (variable: number, value: number, length: number) => {
    const start = text.length;
    // The first state is the initial one: after it, each command leaves one more.
    const commands = Math.max(0, states.length - 1);
    const name = { variable: variables[variable], value: values[value] };
    reveals.push({ start, end: start + length, ...name, commands });
  };
  const sink: Sink = {
    word(index) {
      text += words[index];
    },
    reveal: (variable, value) => ask(variable, value, values[value].length),
    target: (variable, value) => ask(variable, value, 0),
    state(held) {
      if (writtenStates !== undefined) {
        states.push({ end: text.length, values: writtenStates[held[0]].values });
        return;
      }
      const named: Record<string, string> = {};
      for (let i = 0; i < variables.length; i++) if (held[i] >= 0) named[variables[i]] = values[held[i]];
      states.push({ end: text.length, values: named });
    },
  };
  prepared.write(rng, sink);
  return withPosteriors(prepared, { text, reveals, states });
}

function withPosteriors({ posterior, values }: Prepared, example: Example): Example {
  if (posterior === undefined) return example;
  const shares = posterior(example);
  const named = (i: number) => Object.fromEntries(values.map((value, v) => [value, shares[i][v]]));
  return { ...example, reveals: example.reveals.map((reveal, i) => ({ ...reveal, posterior: named(i) })) };
}

/** Draws one example as word indices. */
export function wordsFrom(prepared: Prepared, rng: Rng): number[] {
  const words: number[] = [];
  const word = (index: number) => words.push(index);
  prepared.write(rng, { word, reveal: ignore, target: ignore, state: ignore });
  return words;
}

function ignore(): void {}
