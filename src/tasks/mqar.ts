/**
 * @file Multi-query associative recall: pairs of a key and its value, then each key once more. What was its value?
 *
 *     written    k4 v1 k7 v0 k2 v6   f3 f0 k7 f2 f9 f3 k2 f1 k4 f5
 *     asked                                v0          v6    v1          at the key, and not written
 *
 * No state to track; a memory must store all pairs at once. Keys are distinct, and so are values. A key can return at every second word
 * after the pairs and a `gap` of fillers. As many of these positions as there are keys are drawn, the g-th with a weight of g^(power -
 * 1): mostly early, sometimes late. All other words are fillers, neither keys nor values.
 *
 * References: `exactBayes` sees all. `anySeen` knows all values, but not their keys. With m pairs it is right 1 time in m.
 *
 * Source: Arora et al. 2023, arXiv:2312.04927, and its code. Two changes are our own. Fillers are separate words, while the paper
 * draws them from all words. The position of a pair is independent of its return, while in the paper earlier pairs return earlier.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { shuffled } from "../core/permutations.ts";
import { distinct, type Rng } from "../core/rng.ts";
import { drawIfSeveral, drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared, writeWords } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

const Kinds = z.int().min(1).max(100_000);
const Gap = z.int().min(0).max(1_000_000);

const MqarParams = z.strictObject({
  pairs: Length.default(8).describe("Pairs per example"),
  length: Length.default(64).describe("Words per example, at least four for each pair"),
  keys: Kinds.default(512).describe("Number of keys in the vocabulary, in all stages and tests"),
  values: Kinds.default(512).describe("Number of values in the vocabulary, in all stages and tests"),
  fillers: Kinds.default(16).describe("Number of fillers in the vocabulary, in all stages and tests"),
  gap: z
    .union([Gap, z.tuple([Gap, Gap])])
    .default(0)
    .describe("Fillers between the pairs and the first place of a returning key"),
  power: z
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe("With 1 all places of a returning key are equally likely, with less early places are likelier"),
});
type MqarParams = z.infer<typeof MqarParams>;

export const mqar = defineTask<MqarParams>({
  name: "mqar",
  summary: "pairs of a key and a value, then the keys among fillers: what is the value of each key?",
  source: "arXiv:2312.04927",
  params: MqarParams,
  prepare: prepareMqar,
  ask: ({ values }) =>
    stateAfter(
      "Below are strings of words, a letter and a number each. They begin with pairs of a key (k) and its value (v); then keys come again among other words (f). ?? stands for the value of the last key",
      named("v", values),
    ),
});

function prepareMqar({ pairs, length, keys, values, fillers, gap, power }: MqarParams): Prepared {
  const counts = lengthRange(pairs, "mqar");
  const lengths = lengthRange(length, "mqar");
  const gaps = lengthRange(gap, "mqar");
  const needed = 4 * counts.most + gaps.most;
  if (needed > lengths.least) {
    const why = `four words for each pair${gaps.most === 0 ? "" : ` and the gap of ${gaps.most}`}`;
    fail("mqar", `length of at least ${needed}, ${why}`, lengths.least);
  }
  const fewer = Math.min(keys, values);
  if (counts.most > fewer) fail("mqar", `at most ${fewer} pairs, as many as keys or values`, counts.most);
  const [firstValue, firstFiller] = [keys, keys + values];
  return {
    words: [...named("k", keys), ...named("v", values), ...named("f", fillers)],
    variables: ["value"], // of the most recent key
    values: named("v", values),
    asks: "states",
    maximumWords: lengths.most,
    write(rng, sink) {
      const count = drawLength(counts, rng);
      const words = drawLength(lengths, rng);
      const key = distinct(rng, count, keys);
      const value = distinct(rng, count, values);
      for (const [pair, word] of key.entries()) {
        writeWords(sink, word, firstValue + value[pair]);
      }
      sink.state(value.slice(-1));
      const fillersFirst = drawIfSeveral(gaps, rng);
      for (let i = 0; i < fillersFirst; i++) sink.word(firstFiller + rng.below(fillers));
      const behind = words - 2 * count - fillersFirst;
      const pairAt = new Map(
        places(rng, count, Math.floor(behind / 2), power).map((at, pair) => [2 * at, pair]),
      );
      for (let at = 0; at < behind; at++) {
        const pair = pairAt.get(at);
        sink.word(pair === undefined ? firstFiller + rng.below(fillers) : key[pair]);
        if (pair === undefined) continue;
        sink.state([value[pair]]);
        sink.target(0, value[pair]);
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      anySeen: ({ reveals }) => reveals.map(() => 1 / reveals.length), // every pair is asked once
    },
  };
}

const named = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);

/**
 * `count` of `most` positions from 0, drawn without replacement by weights (place + 1)^(power - 1), in any order. They are those whose
 * exponential clocks of these rates ring first: Efraimidis and Spirakis 2006.
 */
function places(rng: Rng, count: number, most: number, power: number): number[] {
  const times = Float64Array.from(
    { length: most },
    (_, at) => -Math.log(1 - rng.next()) * (at + 1) ** (1 - power),
  );
  const order = Array.from(times.keys()).sort((one, other) => times[one] - times[other]);
  return shuffled(order.slice(0, count), rng);
}
