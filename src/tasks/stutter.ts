/**
 * @file Stutter: another task, with pauses behind each of its commands.
 *
 *     parity                      1       0       1
 *     stutter, two pauses         1 - -   0 - -   1 - -
 *     asked                                           1      behind the pauses
 *
 *     repl, one pause             >>> a, b = b, a
 *                                 >>> pass
 *
 * A pause is one word and changes nothing, so whoever tracks the state needs a transition that is exactly the identity there, however
 * many pauses there are. Commands, states and answers are those of the task itself, word for word: only the time between
 * them grows. How many pauses an example has behind each command is drawn once for it.
 *
 * References are those of the task, and count its commands, not the pauses.
 *
 * Source: own definition.
 */

import { z } from "zod";
import { defineTask, type Example, type Prepared, type Sink, statesAtMost } from "./task.ts";
import type { InWords } from "./task-prompt.ts";
import { innerOf, type Wrapped, wrappedParams } from "./wrapped.ts";

const Pauses = z.int().min(0).max(1_000_000);

const own = {
  /** Behind each command; of a list one is drawn for each example, all equally likely. */
  pauses: z.union([Pauses, z.array(Pauses).min(1)]).default([0, 1, 2]),
};
export type StutterParams = Wrapped<{ readonly pauses: number | number[] }>;

export const stutter = defineTask<StutterParams>({
  name: "stutter",
  summary: "another task with pauses behind its commands, which change nothing",
  source: "own definition",
  params: wrappedParams(own) as z.ZodType<StutterParams>, // the same, said by hand
  prepare: prepareStutter,
  ask: (params): InWords => {
    const { task, params: inner } = innerOf(params, ["pauses"]);
    const asked = task.ask!(inner); // all that can be wrapped have it
    return {
      ...asked,
      instruction: `A pause, ${pauseOf(params).trim()}, changes nothing. ${asked.instruction}`,
    };
  },
});

function pauseOf(params: StutterParams): string {
  if (innerOf(params, ["pauses"]).form === "words") return "-";
  return params.promptStyle === "script" ? "pass\n" : ">>> pass\n";
}

function prepareStutter(params: StutterParams): Prepared {
  const { task, params: innerParams } = innerOf(params, ["pauses"]);
  const inner = task.prepare(innerParams);
  const choices = [params.pauses].flat();
  const pause = pauseOf(params);
  const pauseWord = inner.words.length;
  const most = Math.max(...choices) * (statesAtMost(inner) - 1);
  return {
    ...inner,
    words: [...inner.words, pause],
    maximumWords: inner.maximumWords + most,
    maximumStates: statesAtMost(inner),
    ...(inner.maximumCharacters !== undefined && {
      maximumCharacters: inner.maximumCharacters + most * pause.length,
    }),
    write(rng, sink) {
      // From a stream of its own, so that the rest is the example that the task itself makes.
      const pauses = choices[rng.fork("pauses").below(choices.length)];
      let commands = -1; // the first state is the initial one
      const between: Sink = {
        word: (index) => sink.word(index),
        reveal: (...marked) => sink.reveal(...marked),
        target: (variable, value) => sink.target(variable, value),
        state(values) {
          sink.state(values);
          commands++;
          for (let i = 0; commands > 0 && i < pauses; i++) sink.word(pauseWord);
        },
      };
      inner.write(rng, between);
    },
    references: Object.fromEntries(
      Object.entries(inner.references ?? {}).map(([name, reference]) => [
        name,
        (example: Example) => reference(withoutPauses(example, pause)),
      ]),
    ),
  };
}

/** The example of the task itself. */
export function withoutPauses({ text, reveals, states }: Example, pause: string): Example {
  const parts = text.split(pause);
  const ends: number[] = []; // of the parts, in the text with pauses
  for (const part of parts) ends.push((ends.at(-1) ?? -pause.length) + pause.length + part.length);
  const before = (offset: number) => {
    const pauses = ends.findIndex((end) => offset <= end);
    // Behind a pause, where the next part begins, or in it.
    return offset - pause.length * pauses;
  };
  return {
    text: parts.join(""),
    reveals: reveals.map((reveal) => ({ ...reveal, start: before(reveal.start), end: before(reveal.end) })),
    states: states.map((state) => ({ ...state, end: before(state.end) })),
  };
}
