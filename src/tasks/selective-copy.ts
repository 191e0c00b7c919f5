/**
 * @file Selective copying: words are scattered among blanks; at each mark the next of them is asked, in order.
 *
 *     written    _ d3 _ _ d0 d3 _ _   >  >  >
 *     asked                          d3 d0 d3       at the marks, and not written
 *
 * The distance between a word and its question depends on the others: a filter by distance cannot copy it, a gate that ignores blanks
 * can. With `places: first` the words precede all blanks. Then the distance is constant, and a fixed filter copies them: the control.
 *
 * References: `exactBayes` sees all. `anySeen` knows the words, but not their order, and answers with the most common.
 *
 * Source: Gu and Dao 2023, arXiv:2312.00752, with 16 words among 4,096; the control is the copying task of Arjovsky et al. 2016,
 * arXiv:1511.06464.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { distinct } from "../core/rng.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Prepared } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

const SelectiveCopyParams = z.strictObject({
  items: Length.default(8).describe("Words to copy"),
  length: Length.default(64).describe("Words and blanks before the marks"),
  kinds: z
    .int()
    .min(1)
    .max(100_000)
    .default(16)
    .describe("Number of different words, in all stages and tests"),
  places: z
    .enum(["random", "first"])
    .default("random")
    .describe("Words at random places, or before all blanks"),
});
type SelectiveCopyParams = z.infer<typeof SelectiveCopyParams>;

export const selectiveCopy = defineTask<SelectiveCopyParams>({
  name: "selective-copy",
  summary: "words among blanks, then marks: which word belongs to each mark, in order?",
  source: "arXiv:2312.00752",
  params: SelectiveCopyParams,
  prepare: prepareSelectiveCopy,
  ask: ({ kinds }) =>
    stateAfter(
      "Below are strings of words, a d and a number each, among blanks (_), and behind them marks (>). The first mark asks for the first word, the second for the second, and so on; ?? stands for the word that the last mark asks for",
      named(kinds),
    ),
});

function prepareSelectiveCopy({ items, length, kinds, places }: SelectiveCopyParams): Prepared {
  const counts = lengthRange(items, "selective-copy");
  const lengths = lengthRange(length, "selective-copy");
  if (counts.most > lengths.least)
    fail("selective-copy", `length of at least ${counts.most}, as many as items`, lengths.least);
  const [blank, mark] = [kinds, kinds + 1];
  return {
    words: [...named(kinds), "_", ">"],
    variables: ["word"], // the last one asked; before the first mark the last one read
    values: named(kinds),
    asks: "states",
    maximumWords: lengths.most + counts.most,
    maximumStates: counts.most + 1,
    write(rng, sink) {
      const count = drawLength(counts, rng);
      const before = drawLength(lengths, rng);
      const drawn = Array.from({ length: count }, () => rng.below(kinds));
      const at = places === "first" ? undefined : new Set(distinct(rng, count, before));
      let next = 0;
      for (let place = 0; place < before; place++) {
        const isItem = at?.has(place) ?? place < count;
        sink.word(isItem ? drawn[next++] : blank);
      }
      sink.state(drawn.slice(-1));
      for (const item of drawn) {
        sink.word(mark);
        sink.state([item]);
        sink.target(0, item);
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      anySeen: ({ reveals }) => reveals.map(() => commonest(reveals) / reveals.length),
    },
  };
}

const named = (count: number) => Array.from({ length: count }, (_, i) => `d${i}`);

/** Frequency of the most common target word; every word is asked once. */
function commonest(reveals: Example["reveals"]): number {
  const counts = new Map<string, number>();
  for (const { value } of reveals) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(...counts.values());
}
