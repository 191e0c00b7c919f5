/**
 * @file Dense supervision: a linear head is trained on the state after each line, in addition to `train.loss`. `dense` uses the
 * true states; `reconstructed` uses those of a path drawn from its exact distribution given the whole text
 * (core/hidden-markov.ts):
 *
 *     text                        maybe swap    maybe swap    print: a 2
 *     a path that may have been      1,2 -> 1,2    1,2 -> 2,1    fits the print
 *
 * (text, drawn path) has the same distribution as (text, true path), so it teaches the same as true states, if the probabilities are
 * right. `assumed` draws with another probability than that of the text.
 *
 * Source: the idea of reconstructing states from sparse reveals is from a summary that we read; this method is our own.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { samplePath } from "../../core/hidden-markov.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import { defineSignal } from "./objective.ts";

export const reconstructed = defineSignal({
  params: z.strictObject({
    /** Replaces the probability in the text. */
    assumed: z.number().gt(0).lt(1).optional(),
  }),
  supervises: true,
  show: (prepared, { assumed }) => withSampledPath(prepared, assumed),
});

export function withSampledPath(prepared: Prepared, assumed?: number): Prepared {
  const { hidden, words } = prepared;
  if (hidden === undefined) {
    const hint = 'This task has no hidden randomness; use "dense"';
    return fail("objective", '"reconstructed" with pfsa or automaton', "another task", hint);
  }
  return {
    ...prepared,
    write(rng, sink) {
      let text = "";
      const calls: ((states: () => ArrayLike<number>) => void)[] = [];
      const recorder: Sink = {
        word(index) {
          text += words[index];
          calls.push(() => sink.word(index));
        },
        reveal: (...of) => void calls.push(() => sink.reveal(...of)),
        target: (...of) => void calls.push(() => sink.target(...of)),
        state: () => void calls.push((next) => sink.state(next())),
      };
      prepared.write(rng, recorder);
      const { machine, events } = hidden.read(text, assumed);
      const path = samplePath(machine, events, rng.fork("path"));
      let at = 0;
      for (const call of calls) call(() => hidden.values(path[at++]));
    },
  };
}

export const dense = defineSignal({
  params: z.strictObject({}),
  supervises: true,
});
