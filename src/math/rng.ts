/**
 * @file Random streams: seeded, splittable by label, so that drawing one thing more never changes another.
 */

/** A deterministic stream of random numbers. Every function that draws takes one; there is no default. */
export interface Rng {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, n), 1 <= n <= 2^32, without modulo bias. */
  below(n: number): number;
  /** Standard normal. */
  normal(): number;
  /** An independent stream: the same seed and label always give the same stream, whatever was drawn before. */
  fork(label: string | number): Rng;
}
