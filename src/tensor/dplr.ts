/**
 * @file A matrix memory whose transition is diagonal plus rank one, in chunks of C steps.
 *
 *     S_t = diag(w_t) S_{t-1} + b_t (a_t' S_{t-1}) + k_t v_t';  o_t = S_t' q_t         S [dk, dv], S_0 = 0, w = e^l, l <= 0
 *
 * Within a chunk that starts at S0, with rows A, B, K, Q, V, g_i = l_1 + ... + l_i and z_t = S_{t-1}' a_t:
 *
 *     E_ij = diag(e^(l_{j+1} + ... + l_i)) for j <= i, else 0;   (X * Y)_ij = x_i' E_ij y_j, and (X *' Y)_ij = x_i' E_{i-1,j} y_j
 *     R = (I - A *' B)^-1;   z = R (A o e^(g-l)) S0 + R (A *' K) V
 *     O = (Q o e^g) S0 + (Q * B) z + (Q * K) V;   S = e^(g_C) o S0 + (E_C B)' z + (E_C K)' V
 *
 * All powers are at most 1: decayed-matmul.ts avoids forming E. Without a and b only the last term of each is left, and a scalar decay
 * per head becomes a matrix factor of the product. The step-by-step form is in dplr.naive.ts.
 */

import { fail } from "../core/error.ts";
import { exp } from "./activations.ts";
import { add, multiply, reshape, scale } from "./arithmetic.ts";
import { chunkStates } from "./chunk-states.ts";
import { splitChunks } from "./chunks.ts";
import { fadingProducts } from "./decayed-matmul.ts";
import { type DeltaRuleOptions, type DeltaRuleResult, emptyMemory } from "./delta-rule.ts";
import type { Shape, Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { forgetting, zeroAtStarts } from "./packed-sequences.ts";
import { concat, pad, slice, split } from "./shape.ts";
import { maskConstant, unitLowerSolver } from "./unit-lower-inverse.ts";

export interface DiagonalPlusRankOne {
  /** q and k [B, T, h, dk], v [B, T, h, dv]. Scale q beforehand if wanted. */
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  /** l, at most 0: [B, T, h, dk], or one number a head [B, T, h]. */
  readonly logDecay: Tensor;
  /** a, along which the memory is read, and b, along which that is added again, [B, T, h, dk]; both or none. */
  readonly removal?: { readonly read: Tensor; readonly write: Tensor };
}

interface MemoriesResult extends DeltaRuleResult {
  /** The memory before each chunk, [N, B, h, dk, dv]. */
  readonly before: Tensor;
}

/** -> o [B, T, h, dv]. */
export function dplr(given: DiagonalPlusRankOne, options: DeltaRuleOptions = {}): Tensor {
  checkShapes("dplr", given);
  return overSteps(emptyMemory(given.k, given.v), given, options).o;
}

/** The same, starting from the memory `start` [B, h, dk, dv]. */
export function dplrFrom(
  start: Tensor,
  given: DiagonalPlusRankOne,
  options: DeltaRuleOptions = {},
): MemoriesResult {
  checkShapes("dplrFrom", given);
  return overSteps(start, given, options);
}

function overSteps(
  start: Tensor,
  { q, k, v, logDecay, removal }: DiagonalPlusRankOne,
  { chunk = 16, fresh }: DeltaRuleOptions,
): MemoriesResult {
  // The steps that fill up the last chunk have a = b = k = 0 and l = 0, which change nothing.
  const { size, into, joined } = splitChunks("dplr", k.shape, chunk);
  const [Q, K, V, logs] = [q, k, v, forgetting(logDecay, fresh)].map(into); // [N, B, h, C, d]
  const products = fadingProducts(logs);
  const summed = (holds: (i: number, step: number) => boolean) =>
    exp(matmul(maskConstant(k.graph, size, holds), logs)); // [N, B, h, C, dk or 1]
  const [sinceStart, untilEnd] = [summed((i, step) => step <= i), summed((i, step) => step > i)];
  const ofChunk = slice(sinceStart, 3, size - 1, size);
  const f = reshape(ofChunk, [...ofChunk.shape.slice(0, 3), -1, 1]); // e^(g_C) [N, B, h, dk or 1, 1]
  const added = matmul(multiply(K, untilEnd), V, { transposeX: true }); // [N, B, h, dk, dv]

  if (removal === undefined) {
    const { before, last } = chunkStates(start, { f, A: added });
    const fromStart = matmul(multiply(Q, sinceStart), before);
    return { o: joined(add(fromStart, matmul(products(Q, K), V))), S: last, before };
  }

  const [A, B] = [zeroAtStarts(removal.read, fresh), removal.write].map(into);
  // a_i reads the memory before the decay of step i: it goes with q_{i-1}, and its products are shifted down by one row.
  const all = products(concat([Q, moved(A, -1)], 3), concat([B, K], 3)); // [N, B, h, 2 C, 2 C]
  const [ofQ, ofA] = split(all, 3, [size, size]);
  const [QB, QK] = split(ofQ, 4, [size, size]);
  const [AB, AK] = split(moved(ofA, 1), 4, [size, size]);
  const solve = unitLowerSolver(AB);
  const W = solve(
    multiply(
      A,
      summed((i, step) => step < i),
    ),
  );
  const U = solve(matmul(AK, V));
  const corrected = { W, U, K: multiply(B, untilEnd) };
  const { before, D: z, last } = chunkStates(start, { f, A: added, ...corrected });
  const within = add(matmul(QB, z), matmul(QK, V));
  return { o: joined(add(matmul(multiply(Q, sinceStart), before), within)), S: last, before };
}

/** x [N, B, h, C, n] by one row up or down, zeros where none comes. */
function moved(x: Tensor, by: 1 | -1): Tensor {
  const [, , , size] = x.shape;
  if (size === 1) return scale(x, 0);
  return by === 1 ? pad(slice(x, 3, 0, size - 1), 3, 1, 0) : pad(slice(x, 3, 1, size), 3, 0, 1);
}

function checkShapes(op: string, { q, k, v, logDecay, removal }: DiagonalPlusRankOne): void {
  const check = (name: string, x: Tensor, ...wanted: readonly Shape[]) => {
    if (!wanted.some((shape) => shape.join() === x.shape.join()))
      fail(op, `${name} of shape ${wanted.map((shape) => `[${shape}]`).join(" or ")}`, x.shape);
  };
  if (k.shape.length !== 4) fail(op, "k of shape [B, T, h, dk]", k.shape);
  const perHead = k.shape.slice(0, 3);
  check("q", q, k.shape);
  check("v", v, [...perHead, v.shape[3] ?? "dv"] as number[]);
  check("logDecay", logDecay, k.shape, perHead);
  if (removal !== undefined) {
    check("removal.read", removal.read, k.shape);
    check("removal.write", removal.write, k.shape);
  }
}
