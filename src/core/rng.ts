/**
 * @file Random streams: seeded, splittable by label, so that an additional draw never changes another stream.
 *
 *     const train = rngFrom(7).fork("train"); // never meets fork("test"), whatever is drawn from either
 *     const example = train.fork(123456);     // the 123456th example, without drawing those before it
 *
 * Each stream is a xoroshiro128+ generator (pure-rand). Its start is a 64-bit key; `fork` absorbs the label into the
 * key, one 32-bit word at a time, by a step that is a bijection of the key for a given word, and of the word for a
 * given key. So under one parent two different integers below 2^32 never have the same key.
 *
 * Source: Blackman and Vigna 2018, arXiv:1805.01407; the 32-bit mixer is Wellons' lowbias32; `below` is Lemire 2019,
 * arXiv:1805.10941.
 */

import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** A deterministic stream of random numbers. Every function that draws takes one; there is no default. */
export interface Rng {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, n), 1 <= n <= 2^32, without modulo bias. */
  below(n: number): number;
  /** Standard normal. */
  normal(): number;
  /**
   * An independent stream: the same seed and label always give the same stream, whatever was drawn before.
   * Numbers must be safe integers; the number 1 and the string "1" are different labels.
   */
  fork(label: string | number): Rng;
}

/**
 * The stream of a seed.
 * @throws RangeError if `seed` is not a safe integer.
 */
export function rngFrom(seed: number): Rng {
  return streamAt(0x243f6a88, 0x05a308d3, seed);
}

/** A source that draws nothing, to build an object only for its shapes. */
export const noNumbers: Rng = { next: () => 0.5, below: () => 0, normal: () => 0, fork: () => noNumbers };

const TWO_32 = 0x1_0000_0000;
/** Up to this n the product of a 32-bit draw and n is an exact double. */
const EXACT_PRODUCT = 0x20_0000;
const GOLDEN = 0x9e3779b9 | 0;
const SILVER = 0x3c6ef372 | 0;
/** Absorbed after a label, so that a number and a string of the same words differ. */
const NUMBER_LABEL = 1;
const STRING_LABEL = 2;

interface Generator {
  next(): number;
}

class Stream implements Rng {
  private readonly low: number;
  private readonly high: number;
  private readonly generator: Generator;
  private spareNormal: number | undefined;

  constructor(low: number, high: number) {
    this.low = low;
    this.high = high;
    this.spareNormal = undefined;
    // A constant in each word makes the all-zero state, the generator's only fixed point, unreachable in practice.
    this.generator = xoroshiro128plusFromState([
      mix(low + GOLDEN),
      mix(high + SILVER),
      mix(high ^ GOLDEN),
      mix(low ^ SILVER),
    ]);
  }

  next(): number {
    return (this.generator.next() >>> 0) / TWO_32;
  }

  below(n: number): number {
    if (n >>> 0 !== n || n > EXACT_PRODUCT || n === 0) return this.belowLarge(n);
    let draw = this.generator.next() >>> 0;
    let remainder = Math.imul(draw, n) >>> 0;
    if (remainder < n) {
      const biased = TWO_32 % n;
      while (remainder < biased) {
        draw = this.generator.next() >>> 0;
        remainder = Math.imul(draw, n) >>> 0;
      }
    }
    return Math.floor((draw * n) / TWO_32);
  }

  private belowLarge(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > TWO_32) throw new RangeError(`below: n in 1..2^32, got ${n}`);
    const limit = TWO_32 - (TWO_32 % n);
    let draw = this.generator.next() >>> 0;
    while (draw >= limit) draw = this.generator.next() >>> 0;
    return draw % n;
  }

  normal(): number {
    if (this.spareNormal !== undefined) {
      const spare = this.spareNormal;
      this.spareNormal = undefined;
      return spare;
    }
    // Box and Muller: 1 - u is in (0, 1], so the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.spareNormal = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  fork(label: string | number): Rng {
    return streamAt(this.low, this.high, label);
  }
}

function streamAt(parentLow: number, parentHigh: number, label: string | number): Stream {
  let low = parentLow;
  let high = parentHigh;
  if (typeof label === "number") {
    if (!Number.isSafeInteger(label)) throw new RangeError(`a seed or label is a safe integer, got ${label}`);
    low = absorbed(low, high, label | 0);
    high = stirred(low, high);
    low = absorbed(low, high, Math.floor(label / TWO_32) | 0);
    high = stirred(low, high);
    low = absorbed(low, high, NUMBER_LABEL);
    return new Stream(low, stirred(low, high));
  }
  for (let i = 0; i < label.length; i++) {
    low = absorbed(low, high, label.charCodeAt(i));
    high = stirred(low, high);
  }
  low = absorbed(low, high, STRING_LABEL);
  return new Stream(low, stirred(low, high));
}

/** Half of the step: (low, high, word) to the new low. */
function absorbed(low: number, high: number, word: number): number {
  return (mix(low ^ word) + high) | 0;
}

/** The other half: (new low, high) to the new high. Together they are a bijection of (low, high) for a given word. */
function stirred(low: number, high: number): number {
  return mix((high + GOLDEN) ^ low);
}

/** A bijection of 32-bit words in which every input bit moves every output bit. */
function mix(word: number): number {
  let x = word | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}

/*
 * Streams of examples: example i of a split is a function of (seed, split, i) alone.
 *
 *     const train = exampleStream(7, "train");
 *     train(1000)                                 // the stream of example 1000, always the same
 *
 * So a position in the data is an integer (a checkpoint stores nothing else) and splits never share a stream.
 */

export type ExampleStream = (index: number) => Rng;

export function exampleStream(seed: number, split: string): ExampleStream {
  const parent = rngFrom(seed).fork(split);
  return (index) => parent.fork(index);
}

/** Draws an index by shares with sum 1. */
export function drawnFrom(shares: readonly number[], rng: Pick<Rng, "next">): number {
  let left = rng.next();
  let found = 0;
  for (const [i, share] of shares.entries()) {
    if (share === 0) continue;
    found = i;
    left -= share;
    if (left < 0) break;
  }
  return found;
}

/*
 * Sampling without replacement: the first steps of a Fisher-Yates shuffle on a sparse array.
 *
 *     distinct(rng, 3, 512)     [407, 12, 88]
 */

/** `count` distinct integers below `most`, in uniformly random order. */
export function distinct(rng: Rng, count: number, most: number): number[] {
  const moved = new Map<number, number>();
  return Array.from({ length: count }, (_, i) => {
    const from = i + rng.below(most - i);
    const drawn = moved.get(from) ?? from;
    moved.set(from, moved.get(i) ?? i);
    return drawn;
  });
}
