/**
 * @file The states of a matrix memory before each chunk of a sequence, with the gradient in closed form.
 *
 *     D_n = U_n + W_n S_n;   S_{n+1} = f_n o S_n + A_n + K_n' D_n                 f, A, or all of D may be missing
 *
 * Backward, where G_n is the gradient of S_{n+1}, and dS and dD are those of the outputs:
 *
 *     dU_n = dD_n + K_n G_n;   G_{n-1} = f_n o G_n + dS_n + W_n' dU_n
 *     dW_n = dU_n S_n';   dK_n = D_n G_n';   dA_n = G_n;   df_n = sum(G_n o S_n)      for all chunks at once
 */

import { add, multiply, reshape, sumTo } from "./arithmetic.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { type ScanCotangents, scan } from "./scan.ts";
import { full } from "./shape.ts";

/** f [N, B, h, dk or 1, 1], A [N, B, h, dk, dv]; W, K [N, B, h, C, dk] and U [N, B, h, C, dv], all or none. */
type Chunks = Partial<Readonly<Record<"f" | "A" | "W" | "U" | "K", Tensor>>>;

/** From S_0 = start [B, h, dk, dv] -> S before each chunk [N, B, h, dk, dv], D [N, B, h, C, dv], and S after the last. */
export function chunkStates(
  start: Tensor,
  chunks: Chunks,
): { readonly before: Tensor; readonly D: Tensor; readonly last: Tensor } {
  const names = Object.keys(chunks) as (keyof Chunks)[]; // Object.keys forgets the key type
  const inputs = names.map((name) => chunks[name]!);
  const step = ([S]: readonly Tensor[], slices: readonly Tensor[]) => {
    const { f, A, W, U, K }: Chunks = Object.fromEntries(names.map((name, i) => [name, slices[i]]));
    const D = W && U && add(U, matmul(W, S));
    const written = K && D && matmul(K, D, { transposeX: true });
    return { states: [total(faded(S, f), A, written)], outputs: D ? [S, D] : [S] };
  };
  if (inputs[0].shape[0] === 1) {
    // A single chunk needs no Scan.
    const given = inputs.map((x) => reshape(x, x.shape.slice(1)));
    const { states, outputs } = step([start], given);
    const [before, D] = outputs.map((y) => reshape(y, [1, ...y.shape]));
    return { before, D, last: states[0] };
  }
  const { states, outputs } = scan(inputs, [start], step, { gradient });
  const [before, D] = outputs;
  return { before, D, last: states[0] };

  function gradient({ dStates: [dLast], dOutputs: [dS, dD] }: ScanCotangents) {
    const { f, W, K } = chunks;
    const given = [f, W, K, dS, dD];
    const back = scan(
      given.filter((each) => each !== undefined),
      [dLast ?? full(start.graph, start.shape, 0)],
      ([G], slices) => {
        let next = 0;
        const [f, W, K, dS, dD] = given.map((each) => each && slices[next++]);
        const dU = K && total(matmul(K, G), dD);
        const read = W && dU && matmul(W, dU, { transposeX: true });
        return { states: [total(faded(G, f), dS, read)], outputs: dU ? [G, dU] : [G] };
      },
      { reverse: true },
    );
    const [G, dU] = back.outputs;
    const gradients = {
      f: () => sumTo(multiply(G, before), f!.shape),
      A: () => G,
      W: () => matmul(dU, before, { transposeY: true }),
      U: () => dU,
      K: () => matmul(D, G, { transposeY: true }),
    };
    return { initial: back.states, inputs: names.map((name) => gradients[name]()), captured: new Map() };
  }
}

const faded = (S: Tensor, f: Tensor | undefined) => (f === undefined ? S : multiply(S, f));

function total(first: Tensor, ...others: readonly (Tensor | undefined)[]): Tensor {
  return others.reduce<Tensor>((sum, each) => (each === undefined ? sum : add(sum, each)), first);
}
