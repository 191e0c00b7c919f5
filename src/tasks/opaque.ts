/**
 * @file Opaque: wraps a task, with names and values renamed randomly in each example.
 *
 *     repl      >>> a = 2              opaque    >>> v91 = 140
 *               >>> b = 1                        >>> v3 = 27
 *               >>> a, b = b, a                  >>> v91, v3 = v3, v91
 *               >>> print('a', a)                >>> print('v91', v91)
 *               a 1                              v91 27
 *
 *     parity    101                    opaque    w61=1;w8=0;w61w8w61
 *     asked     1 1 0                            w61 w61 w8
 *
 * The meaning of a word must be inferred in context: it cannot be memorized. A session reveals it by its first lines. For tasks with
 * words, a list of them comes first, in random order; answers are new names, too. Names are distinct and uniform over a large set. With
 * `opaque: false` the names are the same in every example, and all else is equal: the control condition.
 *
 * References are those of the task, since the list in the text reverses all renaming.
 *
 * Source: own definition.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { shuffled } from "../core/permutations.ts";
import { distinct, type Rng } from "../core/rng.ts";
import { defineTask, type Example, type Prepared, type Sink, writeWords } from "./task.ts";
import { unwrapTask, type Wrapped, wrappedParams } from "./wrapped.ts";

const own = {
  names: z.int().min(2).max(100_000).default(256).describe("Number of names, in all stages and tests"),
  opaque: z.boolean().default(true).describe("Draws the names again for each example"),
};
type OpaqueParams = Wrapped<{ readonly names: number; readonly opaque: boolean }>;
const ownKeys = ["names", "opaque"] as const;

export const opaque = defineTask<OpaqueParams>({
  name: "opaque",
  summary: "another task with names and values that change in each example",
  source: "own definition",
  params: wrappedParams(own) as z.ZodType<OpaqueParams>, // the same, explicitly
  prepare: (params) => {
    const { form } = unwrapTask(params, ownKeys);
    return form === "session" ? prepareSession(params) : prepareWords(params);
  },
  ask: (params) => {
    const { task, params: inner, form } = unwrapTask(params, ownKeys);
    const asked = task.ask!(inner); // all wrappable tasks have it
    if (form === "session") return asked;
    return {
      ...asked,
      instruction: `Words have other names in each example, which it lists at its begin: w7=1; says that w7 stands for 1. Answer with such a name. ${asked.instruction}`,
      answers: namesOf("w", params.names),
    };
  },
});

const namesOf = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);

/** Assigns distinct names, out of `most`, to `count` things. */
function drawNames(rng: Rng, count: number, { names: most, opaque: isFresh }: OpaqueParams): number[] {
  return isFresh ? distinct(rng, count, most) : Array.from({ length: count }, (_, i) => i);
}

function requireNames({ of, names }: OpaqueParams, count: number): void {
  if (names < count) fail("opaque", `at least ${count} names, as many as ${of} has to be renamed`, names);
}

/** For a session: renames variables and values, from separate sets. */
function prepareSession(params: OpaqueParams): Prepared {
  const { task, params: innerParams } = unwrapTask(params, ownKeys);
  const inner = task.prepare(innerParams);
  const counts = [inner.variables.length, inner.values.length];
  requireNames(params, Math.max(...counts));
  const [variables, values] = [namesOf("v", params.names), namesOf("", params.names)];
  const kept = inner.words.filter((word) => !inner.variables.includes(word) && !inner.values.includes(word));
  const { maximumCharacters: _, ...bounds } = inner;
  return {
    ...bounds,
    words: [...kept, ...variables, ...values],
    variables,
    values,
    write(rng, sink) {
      // From a separate stream, so that the wrapped example stays the same.
      const own = rng.fork("names");
      const [variable, value] = counts.map((count) => drawNames(own, count, params));
      const wordOf = inner.words.map((word) => {
        if (inner.variables.includes(word)) return kept.length + variable[inner.variables.indexOf(word)];
        if (!inner.values.includes(word)) return kept.indexOf(word);
        return kept.length + params.names + value[inner.values.indexOf(word)];
      });
      inner.write(rng, renamed(sink, { wordOf, variable, value }, params.names));
    },
  };
}

/** For words: renames all that are not fixed, from one set, and lists them first. */
function prepareWords(params: OpaqueParams): Prepared {
  const { task, params: innerParams } = unwrapTask(params, ownKeys);
  const inner = task.prepare(innerParams);
  const told = inner.words.filter((word) => !FIXED.includes(word));
  requireNames(params, told.length);
  const names = namesOf("w", params.names);
  const [is, next] = [inner.words.length, inner.words.length + 1];
  const firstName = inner.words.length + 2;
  const { maximumCharacters: _, ...bounds } = inner;
  return {
    ...bounds,
    words: [...inner.words, "=", ";", ...names],
    values: names,
    maximumWords: inner.maximumWords + 4 * told.length,
    write(rng, sink) {
      const own = rng.fork("names");
      const nameOf = new Map(drawNames(own, told.length, params).map((name, i) => [told[i], name]));
      for (const word of shuffled(told, own)) {
        writeWords(sink, firstName + nameOf.get(word)!, is, inner.words.indexOf(word), next);
      }
      const wordOf = inner.words.map((word, i) => {
        const name = nameOf.get(word);
        return name === undefined ? i : firstName + name;
      });
      const value = inner.values.map((each) => nameOf.get(each)!);
      inner.write(rng, renamed(sink, { wordOf, variable: [0], value }, 1));
    },
    references: Object.fromEntries(
      Object.entries(inner.references ?? {}).map(([name, reference]) => [
        name,
        (example: Example) => reference(plainWords(example)),
      ]),
    ),
  };
}

/** Neutral words that begin an example. */
const FIXED = ["<s>"];

interface Renaming {
  readonly wordOf: readonly number[];
  readonly variable: readonly number[];
  readonly value: readonly number[];
}

/** A sink that renames and forwards an example of the task; a state has one entry for each of `variables`. */
function renamed(sink: Sink, { wordOf, variable, value }: Renaming, variables: number): Sink {
  const state = new Int32Array(variables).fill(-1);
  return {
    word: (index) => sink.word(wordOf[index]),
    reveal: (which, held, words) => sink.reveal(variable[which], value[held], words),
    target: (which, held) => sink.target(variable[which], value[held]),
    state(held) {
      for (const [i, name] of variable.entries()) state[name] = held[i] < 0 ? -1 : value[held[i]];
      sink.state(state);
    },
  };
}

/** Recovers the task's own example, by the list at the beginning. */
export function plainWords({ text, reveals, states }: Example): Example {
  const list = /^(?:w\d+=[^;]+;)*/.exec(text)![0];
  const meaning = new Map([...list.matchAll(/(w\d+)=([^;]+);/g)].map(([, name, word]) => [name, word]));
  let plain = "";
  const ends = new Map([[list.length, 0]]); // indices of words: in the text, and in the task itself
  for (const word of text.slice(list.length).matchAll(/w\d+|<s>/g)) {
    plain += meaning.get(word[0]) ?? word[0];
    ends.set(list.length + word.index + word[0].length, plain.length);
  }
  const value = (name: string) => meaning.get(name)!;
  return {
    text: plain,
    reveals: reveals.map((reveal) => ({
      ...reveal,
      start: ends.get(reveal.start)!,
      end: ends.get(reveal.end)!,
      value: value(reveal.value),
    })),
    states: states.map(({ end, values }) => ({
      end: ends.get(end)!,
      values: Object.fromEntries(Object.entries(values).map(([variable, name]) => [variable, value(name)])),
    })),
  };
}
