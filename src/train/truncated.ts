/**
 * @file Truncated backpropagation through time: rows are computed in pieces of L tokens, so that memory follows L and not their length.
 *
 *     loss_p, s_p = model(tokens of piece p, s_{p-1})       s_0 = 0, and no gradient through s_{p-1}
 *     loss = sum_p w_p loss_p,  gradient = sum_p w_p gradient_p,  w_p = asked(piece p) / asked(rows)
 *
 * The loss is that of the whole rows; only the gradient lacks the paths between pieces. There is one update a step, after the last
 * piece. Source: Williams and Peng 1990, doi:10.1162/neco.1990.2.4.490.
 */

import { type Batch, emptyBatch } from "../tasks/batch.ts";
import { type Compiled, size, type TensorData } from "../tensor/index.ts";
import type { Feeds } from "../tensor/session.ts";
import type { Sheet } from "./objectives/objective.ts";

interface Gradients {
  readonly gradient: Float32Array;
  /** Views of `gradient` by output name. */
  readonly targets: Readonly<Record<string, Float32Array>>;
}

/** Writes the positions from .. from + L of each row into `piece`. Reveals and hashes are left out. */
function cutPiece(batch: Batch, from: number, piece: Batch): void {
  const { length } = piece;
  const to = Math.min(from + length, batch.length);
  for (const name of ["tokens", "targets", "weights"] as const) {
    piece[name].fill(0);
    for (let row = 0; row < batch.rows; row++)
      piece[name].set(batch[name].subarray(row * batch.length + from, row * batch.length + to), row * length);
  }
  for (let row = 0; row < batch.rows; row++) {
    piece.starts[row] = row * length;
    piece.lengths[row] = Math.max(0, Math.min(batch.lengths[row] - from, length));
  }
}

/**
 * Runs a graph of pieces of `length` tokens (graph.ts) over the rows of a batch. The gradient of the whole goes into `into`, and
 * `piece` receives that of each piece.
 */
export async function runInPieces(
  run: Compiled<string>,
  length: number,
  batch: Batch,
  { feeds, asked }: Sheet,
  parameters: Feeds,
  into: { readonly gradient: Float32Array; readonly piece: Gradients; readonly hits: Float32Array },
): Promise<Record<string, TensorData>> {
  const cut = emptyBatch(batch.rows, length);
  const hits = new Float32Array(batch.rows * length);
  const total = asked!(batch); // objectives without it are refused
  const names = run.inputs.filter(({ name }) => name.startsWith("state."));
  let states: Feeds = Object.fromEntries(
    names.map(({ name, shape }) => [name, new Float32Array(size(shape))]),
  );
  const longest = batch.lengths.reduce((most, each) => Math.max(most, each), 0);
  let loss = 0;
  into.gradient.fill(0);
  for (let from = 0; from < longest; from += length) {
    cutPiece(batch, from, cut);
    const position = new Int32Array(batch.rows).fill(from);
    const { tokens, targets } = cut;
    const found = await run.run(
      { tokens, targets, position, ...feeds(cut), ...states, ...parameters },
      { ...into.piece.targets, hits },
    );
    states = Object.fromEntries(Object.keys(states).map((name) => [name, found[`next.${name}`]]));
    for (let row = 0; row < batch.rows; row++) {
      const used = hits.subarray(row * length, row * length + Math.min(length, batch.length - from));
      into.hits.set(used, row * batch.length + from);
    }
    const weight = asked!(cut) / total;
    if (weight === 0) continue; // its loss is 0 / 0
    loss += weight * Number(found.loss[0]);
    const { gradient } = into.piece;
    for (let i = 0; i < gradient.length; i++) into.gradient[i] += weight * gradient[i];
  }
  return { loss: Float32Array.of(loss) };
}
