/**
 * @file An automaton in a state-regularized GRU, with hand-set weights: the units of rnn-cell.ts, and their possible vectors as
 * centroids.
 *
 *     units     1 if the cell was in that state and reads that word, else -1; one more after each word that moves the state
 *     centroid  one for each pair of a state and a word: that unit and the last one 1, the others -1; and one before any such word
 *
 * Two centroids differ in two units or more, so a mixture at a small temperature equals one of them in float32.
 */

import type { Construction } from "./construction.ts";
import { constructCell, gruCell } from "./rnn-cell.ts";
import { taskAutomaton } from "./task-automaton.ts";

/** e to the -4 / it is 0 in float32. */
const TEMPERATURE = 0.02;

export function constructCentroids(task: Construction["task"]): Construction {
  const { states, moving } = taskAutomaton(task);
  const pairs = states * moving.length;
  return {
    task,
    config: { centroids: pairs + 1, temperature: TEMPERATURE },
    set: (d) => ({
      ...constructCell(task, gruCell)(d),
      "layers.0.mixer.centroids": Array.from({ length: pairs + 1 }, (_, own) =>
        Array.from({ length: d }, (_, unit) => {
          if (unit > pairs) return 0;
          return own < pairs && (unit === own || unit === pairs) ? 1 : -1;
        }),
      ),
    }),
  };
}
