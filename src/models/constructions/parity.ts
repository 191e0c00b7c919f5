/**
 * @file Parities in a diagonal recurrence with transitions in [-1, 1], with hand-set weights: a channel for each counted word.
 *
 *     another word     D = 0:   a = 1,   nothing is written        h = h
 *     its word         D = 50:  a = -1, and w is written           h = w - h:  0, w, 0, w ...
 *
 * Parity counts the ones, Tomita's language 5 both words. Exact in float32. Two channels indicate the word. Columns of the width:
 * [constant, 1, 0, output].
 */

import type { Rows } from "../naive.ts";
import { normFactor, sparse } from "./construction.ts";

/** `counted`: words whose number must be even; `odd`: the answer if one is not. */
export const constructParities =
  (counted: readonly number[], odd: 0 | 1) =>
  (d: number): Record<string, Rows> => {
    const [channels, states, rank] = [2 * d, 16, Math.ceil(d / 16)];
    const [constant, one, zero, read] = [0, 1, 2, 3];
    const columnOf = (word: number) => (word === 1 ? one : zero);
    const factor = normFactor(Math.SQRT2, d);
    const embedding = sparse(2, d);
    const input = sparse(d, 2 * channels);
    const LARGE = 50; // silu of it is itself, of its negative 0
    const selection = sparse(channels, rank + 2 * states);
    const step = sparse(rank, channels);
    const out = sparse(channels, d);
    const head = sparse(d, 2);
    for (const bit of [0, 1]) {
      embedding.at(bit, constant, 1);
      embedding.at(bit, columnOf(bit), 1);
    }
    for (const [i, word] of counted.entries()) {
      const [holding, told] = [i, counted.length + i]; // channels
      input.at(constant, holding, LARGE / factor);
      input.at(columnOf(word), told, LARGE / factor);
      input.at(constant, channels + holding, LARGE / factor); // the gate
      selection.at(told, i, 1); // 0, or LARGE
      step.at(i, holding, 5);
      out.at(holding, read + i, 1); // (1 / LARGE) times the gate
      head.at(read + i, odd, 2);
    }
    selection.at(0, rank, 1 / LARGE ** 3); // B, so that D u B is 1 / LARGE
    selection.at(0, rank + states, 1 / LARGE); // C is 1
    head.at(constant, 1 - odd, 1);
    const mixer = {
      ...{ input: input.weight, selection: selection.weight, step: step.weight, out: out.weight },
      stepBias: [new Array<number>(channels).fill(-4 * LARGE)], // softplus of it is 0; 5 LARGE more is LARGE
    };
    return {
      embedding: embedding.weight,
      head: head.weight,
      ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
    };
  };
