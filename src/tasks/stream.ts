/**
 * @file Where examples come from: example i of a split is a function of (seed, split, i) alone.
 *
 *     const train = exampleStream(7, "train");
 *     exampleFrom(prepared, train(1000))          // the same example whoever asks, in whatever order
 *
 * So a position in the data is an integer (a checkpoint stores nothing else) and splits never share a stream.
 */

import { type Rng, rngFrom } from "../core/rng.ts";

export type ExampleStream = (index: number) => Rng;

export function exampleStream(seed: number, split: string): ExampleStream {
  const parent = rngFrom(seed).fork(split);
  return (index) => parent.fork(index);
}
