/**
 * @file Matrix memories S [B, h, dk, dv]: over a sequence, from a state, and one step at a time.
 *
 *     writeDelta: S + b k (v - S' k)'        writeDplr: diag(e^l) S + b (a' S) + k v'        recall: S' q
 */

import { type DeltaRuleOptions, deltaRuleFrom } from "../tensor/delta-rule.ts";
import type { DiagonalPlusRankOne } from "../tensor/dplr.ts";
import { dplrFrom } from "../tensor/dplr.ts";
import { gatedDeltaRuleFrom } from "../tensor/gated-delta-rule.ts";
import {
  add,
  deltaRule,
  exp,
  full,
  gatedDeltaRule,
  matmul,
  matrixMemory,
  maximum,
  multiply,
  negate,
  reshape,
  stopGradient,
  subtract,
  type Tensor,
} from "../tensor/index.ts";
import { matrixMemoryFrom, readNormalized, withOnes } from "../tensor/matrix-memory.ts";
import type { State } from "./model.ts";

/** Up to this chunk size steps are solved together accurately; a longer one would also cost more. */
const LONGEST_CHUNK = 64;

/** Steps per chunk for an extension of so many tokens. */
export function atOnce(steps: number): number {
  return Math.min(steps, LONGEST_CHUNK);
}

/** k [B, h, dk], v [B, h, dv], beta [B, h] -> the memory after. */
export function writeDelta(S: Tensor, k: Tensor, v: Tensor, beta: Tensor): Tensor {
  const error = subtract(asRow(v), matmul(asRow(k), S)); // v' - k' S  [B, h, 1, dv]
  return add(S, multiply(multiply(asColumn(k), error), asCell(beta)));
}

/** k, and a and b if used, [B, h, dk], v [B, h, dv], l [B, h, dk] or [B, h] -> the memory after. */
export function writeDplr(S: Tensor, given: Omit<DiagonalPlusRankOne, "q">): Tensor {
  const { k, v, logDecay, removal } = given;
  const decay = reshape(exp(logDecay), [...S.shape.slice(0, 2), -1, 1]);
  const kept = add(multiply(S, decay), multiply(asColumn(k), asRow(v)));
  if (removal === undefined) return kept;
  return add(kept, multiply(asColumn(removal.write), matmul(asRow(removal.read), S)));
}

/** q [B, h, dk] -> [B, 1, h, dv]. */
export function recall(S: Tensor, q: Tensor): Tensor {
  const [batch, heads] = S.shape;
  return reshape(matmul(asRow(q), S), [batch, 1, heads, -1]);
}

/** [B, h, d] -> [B, h, 1, d]. */
export function asRow(x: Tensor): Tensor {
  const [batch, heads, width] = x.shape;
  return reshape(x, [batch, heads, 1, width]);
}

/** [B, h, d] -> [B, h, d, 1]. */
function asColumn(x: Tensor): Tensor {
  return reshape(x, [...x.shape, 1]);
}

/** [B, h] -> [B, h, 1, 1]. */
export function asCell(x: Tensor): Tensor {
  return reshape(x, [...x.shape, 1, 1]);
}

/** A memory, by its inputs per token: tensors [B, T, h, ...] for a sequence, [B, h, ...] for a step. */
export interface MemoryRule<Given> {
  /** All tokens of a sequence -> o [B, T, h, dv]. */
  read(given: Given, options: DeltaRuleOptions): Tensor;
  /** The same, starting from `state`. */
  readFrom(
    state: State,
    given: Given,
    options: DeltaRuleOptions,
  ): { readonly o: Tensor; readonly state: State };
  /** One token -> o [B, 1, h, dv]. */
  step(state: State, given: Given): { readonly o: Tensor; readonly state: State };
  /** The same memory's inputs in the form of tensor/dplr.ts (cached.ts). */
  asDplr?(given: Given): DiagonalPlusRankOne;
}

const emptyLike = (k: Tensor, v: Tensor) =>
  full(k.graph, [k.shape[0], k.shape[2], k.shape[3], v.shape[3]], 0);

/** diag(e^l) S + b (a' S) + k v'. */
export const diagonalPlusRankOne: MemoryRule<DiagonalPlusRankOne> = {
  read: (given, options) => dplrFrom(emptyLike(given.k, given.v), given, options).o,
  readFrom(state, given, options) {
    const { o, S } = dplrFrom(state.S, given, options);
    return { o, state: { S } };
  },
  step(state, given) {
    const S = writeDplr(state.S, given);
    return { o: recall(S, given.q), state: { S } };
  },
  asDplr: (given) => given,
};

type DeltaGiven = Readonly<Record<"q" | "k" | "v" | "beta", Tensor>>;

/** S + b k (v - S' k)'. */
export const delta: MemoryRule<DeltaGiven> = {
  read: ({ q, k, v, beta }, options) => deltaRule(q, k, v, beta, options),
  readFrom(state, { q, k, v, beta }, options) {
    const { o, S } = deltaRuleFrom(state.S, q, k, v, beta, options);
    return { o, state: { S } };
  },
  step(state, { q, k, v, beta }) {
    const S = writeDelta(state.S, k, v, beta);
    return { o: recall(S, q), state: { S } };
  },
  asDplr({ q, k, v, beta }) {
    const written = multiply(k, reshape(beta, [...beta.shape, 1]));
    const removal = { read: k, write: negate(written) };
    return { q, k: written, v, logDecay: full(k.graph, beta.shape, 0), removal };
  },
};

/** The same of a S. */
export const gatedDelta: MemoryRule<DeltaGiven & { readonly logDecay: Tensor }> = {
  read: ({ q, k, v, beta, logDecay }, options) => gatedDeltaRule(q, k, v, beta, logDecay, options),
  readFrom(state, { q, k, v, beta, logDecay }, options) {
    const { o, S } = gatedDeltaRuleFrom(state.S, q, k, v, beta, logDecay, options);
    return { o, state: { S } };
  },
  step(state, { q, k, v, beta, logDecay }) {
    const S = writeDelta(multiply(state.S, asCell(exp(logDecay))), k, v, beta);
    return { o: recall(S, q), state: { S } };
  },
  asDplr({ q, k, v, beta, logDecay }) {
    const each = (y: Tensor) => reshape(y, [...y.shape, 1]);
    const written = multiply(k, each(beta));
    // The error is computed after the decay: k reads a S.
    const removal = { read: multiply(k, each(exp(logDecay))), write: negate(written) };
    return { q, k: written, v, logDecay, removal };
  },
};

/** The memory of mlstm.ts: S [h, dk, dv + 1], with n as its last column, and m [h]. */
export const normalized: MemoryRule<Readonly<Record<"q" | "k" | "v" | "input" | "logForget", Tensor>>> = {
  read: ({ q, k, v, input, logForget }, options) => matrixMemory(q, k, v, input, logForget, options),
  readFrom(state, { q, k, v, input, logForget }, options) {
    const start = { S: state.S, m: asCell(state.m) };
    const { h, S, m } = matrixMemoryFrom(start, q, k, v, input, logForget, options);
    return { o: h, state: { S, m: reshape(m, state.m.shape) } };
  },
  step({ S: before, m: highest }, { q, k, v, input, logForget }) {
    const faded = add(logForget, highest);
    const m = stopGradient(maximum(faded, input));
    const [keep, write] = [faded, input].map((each) => asCell(exp(subtract(each, m))));
    const written = multiply(matmul(asColumn(k), asRow(withOnes(v))), write);
    const S = add(multiply(before, keep), written);
    const [batch, heads] = m.shape;
    return { o: readNormalized(recall(S, q), reshape(m, [batch, 1, heads, 1])), state: { S, m } };
  },
};
