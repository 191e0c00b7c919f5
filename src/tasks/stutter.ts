/**
 * @file Stutter: wraps a task, with pauses after each of its commands.
 *
 *     parity                      1       0       1
 *     stutter, two pauses         1 - -   0 - -   1 - -
 *     asked                                           1      after the pauses
 *
 *     repl, one pause             >>> a, b = b, a
 *                                 >>> pass
 *
 * A pause is one word and changes nothing, so tracking the state requires an exact identity transition, however many pauses there are.
 * Commands, states and answers are those of the task, word for word: only the time between them grows. The number of pauses after each
 * command is drawn once per example.
 *
 * References are those of the task, which count its commands and not the pauses.
 *
 * Source: own definition.
 */

import { z } from "zod";
import { defineTask, type Example, type Prepared, type Sink, statesAtMost } from "./task.ts";
import type { InWords } from "./task-prompt.ts";
import { unwrapTask, type Wrapped, wrappedParams } from "./wrapped.ts";

const Pauses = z.int().min(0).max(1_000_000);

const own = {
  pauses: z
    .union([Pauses, z.array(Pauses).min(1)])
    .default([0, 1, 2])
    .describe("Pauses after each command, drawn once per example if a list"),
};
type StutterParams = Wrapped<{ readonly pauses: number | number[] }>;

export const stutter = defineTask<StutterParams>({
  name: "stutter",
  summary: "another task with pauses after its commands, which change nothing",
  source: "own definition",
  params: wrappedParams(own) as z.ZodType<StutterParams>, // the same, explicitly
  prepare: prepareStutter,
  ask: (params): InWords => {
    const { task, params: inner } = unwrapTask(params, ["pauses"]);
    const asked = task.ask!(inner); // all wrappable tasks have it
    return {
      ...asked,
      instruction: `A pause, ${pauseOf(params).trim()}, changes nothing. ${asked.instruction}`,
    };
  },
});

function pauseOf(params: StutterParams): string {
  if (unwrapTask(params, ["pauses"]).form === "words") return "-";
  return params.promptStyle === "script" ? "pass\n" : ">>> pass\n";
}

function prepareStutter(params: StutterParams): Prepared {
  const { task, params: innerParams } = unwrapTask(params, ["pauses"]);
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
      // From a separate stream, so that the wrapped example stays the same.
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
  const ends: number[] = []; // offsets of the parts, in the text with pauses
  for (const part of parts) ends.push((ends.at(-1) ?? -pause.length) + pause.length + part.length);
  const before = (offset: number) => {
    const pauses = ends.findIndex((end) => offset <= end);
    // In or after a pause, where the next part begins.
    return offset - pause.length * pauses;
  };
  return {
    text: parts.join(""),
    reveals: reveals.map((reveal) => ({ ...reveal, start: before(reveal.start), end: before(reveal.end) })),
    states: states.map((state) => ({ ...state, end: before(state.end) })),
  };
}
