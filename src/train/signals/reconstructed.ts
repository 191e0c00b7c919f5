/**
 * @file Dense supervision without the true states: after each line the state is told of a path that is drawn from its exact law
 * given the whole text (math/hidden-markov.ts).
 *
 *     text                        maybe swap    maybe swap    print: a 2
 *     a path that may have been      1,2 -> 1,2    1,2 -> 2,1    fits the print
 *
 * (text, drawn path) has the very law of (text, true path), so it teaches what true states teach, if the chances are right.
 * `assumed` draws by another probability than the text names.
 *
 * Source: the idea of reconstructing states from sparse reveals is that of a summary that we read; this way of doing it is our own.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { samplePath } from "../../core/hidden-markov.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import { defineSignal } from "./signal.ts";

export const reconstructed = defineSignal({
  name: "reconstructed",
  source: "own",
  params: z.strictObject({
    /** In place of the probability that the text names. */
    assumed: z.number().gt(0).lt(1).optional(),
  }),
  supervises: true,
  show: (prepared, { assumed }) => withSampledPath(prepared, assumed),
});

export function withSampledPath(prepared: Prepared, assumed?: number): Prepared {
  const { hidden, words } = prepared;
  if (hidden === undefined) {
    const hint = 'In this one nothing is hidden by chance: "dense" tells its states';
    return fail("teach.signal", '"reconstructed" with pfsa or automaton', "another task", hint);
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
