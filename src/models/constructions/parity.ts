/**
 * @file Parity in a diagonal recurrence with transitions in [-1, 1], with hand-set weights: one channel counts the ones.
 *
 *     0     D = 0:   a = 1,   nothing is written        h = h
 *     1     D = 50:  a = -1, and w is written           h = w - h:  0, w, 0, w ...
 *
 * Exact in float32. A second channel indicates the word. Columns of the width: [constant, 1, 0, output].
 */

import { type Construction, normFactor, sparse } from "./construction.ts";

export const constructParityBySign: Construction["set"] = (d) => {
  const [channels, states, rank] = [2 * d, 16, Math.ceil(d / 16)];
  const [constant, one, zero, read] = [0, 1, 2, 3];
  const [holding, told] = [0, 1]; // channels
  const factor = normFactor(Math.SQRT2, d);
  const LARGE = 50; // silu of it is itself, of its negative 0
  const embedding = sparse(2, d);
  for (const [bit, column] of [zero, one].entries()) {
    embedding.at(bit, constant, 1);
    embedding.at(bit, column, 1);
  }
  const input = sparse(d, 2 * channels);
  input.at(constant, holding, LARGE / factor);
  input.at(one, told, LARGE / factor);
  input.at(constant, channels + holding, LARGE / factor); // the gate
  const selection = sparse(channels, rank + 2 * states);
  selection.at(told, 0, 1); // 0, or LARGE
  selection.at(0, rank, 1 / LARGE ** 3); // B, so that D u B is 1 / LARGE
  selection.at(0, rank + states, 1 / LARGE); // C is 1
  const step = sparse(rank, channels);
  step.at(0, holding, 5);
  const out = sparse(channels, d);
  out.at(holding, read, 1); // (1 / LARGE) times the gate
  const head = sparse(d, 2);
  head.at(read, 1, 2);
  head.at(constant, 0, 1);
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
