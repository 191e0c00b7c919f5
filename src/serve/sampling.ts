/**
 * @file Sampling of the next token from logits.
 *
 *     temperature 0         the largest logit, the first of equal ones
 *     temperature t > 0     p_i = exp(l_i / t) / sum_j exp(l_j / t), drawn from the nucleus
 *
 * The nucleus of top_p is the smallest set of the most probable tokens whose probabilities sum to at least top_p.
 * Source: Holtzman et al. 2020, arXiv:1904.09751.
 */

import type { Rng } from "../core/rng.ts";

export interface Sampling {
  readonly temperature: number;
  /** In (0, 1]. */
  readonly topP: number;
}

export function nextToken(logits: ArrayLike<number>, { temperature, topP }: Sampling, rng: Rng): number {
  if (temperature === 0) return largest(logits);
  const scaled = Float64Array.from(logits, (logit) => logit / temperature);
  const shares = logSoftmax(scaled).map(Math.exp);
  const order = Array.from(shares.keys()).sort((a, b) => shares[b] - shares[a] || a - b);
  let mass = 0;
  let size = 0;
  while (size < order.length && mass < topP) mass += shares[order[size++]];
  let left = rng.next() * mass;
  for (const token of order.slice(0, size)) {
    left -= shares[token];
    if (left < 0) return token;
  }
  return order[size - 1]; // rounding left a remainder
}

/** Argmax; ties go to the first. */
export function largest(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** log p_i = l_i - log sum_j exp(l_j), in double precision. */
export function logSoftmax(logits: ArrayLike<number>): Float64Array {
  const top = logits[largest(logits)];
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - top);
  const shift = top + Math.log(sum);
  return Float64Array.from(logits, (logit) => logit - shift);
}
