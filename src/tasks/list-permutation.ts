/**
 * @file A list whose elements are swapped, two a line; the end asserts all of it.
 *
 *     a = [2, 1, 3, 4]
 *     a[0], a[1] = a[1], a[0]
 *     assert a == [1, 2, 3, 4]        asked: the 1, 2, 3 and 4
 *
 * The list is a random order of 1 .. n, and every pair is equally likely to be swapped. Later numbers are easier: the last one is
 * determined by the others.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024).
 */

import { z } from "zod";
import { shuffle } from "../core/permutations.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared, writeList, writeWords } from "./task.ts";
import { asserted, lastAssertion } from "./task-prompt.ts";

const ListPermutationParams = z.strictObject({
  size: z.int().min(2).max(64).default(4).describe("Elements of the list"),
  length: Length.default(8).describe("Number of swaps"),
});
type ListPermutationParams = z.infer<typeof ListPermutationParams>;

export const listPermutation = defineTask<ListPermutationParams>({
  name: "list-permutation",
  summary: "a Python program that swaps elements of a list: what is the list at the end?",
  source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
  params: ListPermutationParams,
  prepare: prepareListPermutation,
  // The whole list including brackets.
  ask: () => ({
    ...lastAssertion,
    question({ text }) {
      const at = text.lastIndexOf("[");
      const lines = text.trimEnd().split("\n").length - 1;
      return asserted(text.slice(0, at), text.slice(at).trimEnd(), lines);
    },
  }),
});

const SYMBOLS = ["\n", " = ", ", ", "a = [", "assert a == [", "]"];
const [newline, equals, comma, start, assert, close] = SYMBOLS.keys();

function prepareListPermutation({ size, length }: ListPermutationParams): Prepared {
  const range = lengthRange(length, "list-permutation");
  const variables = Array.from({ length: size }, (_, i) => `a[${i}]`);
  const values = variables.map((_, i) => String(i + 1));
  const firstVariable = SYMBOLS.length;
  const firstValue = firstVariable + size;
  const held = new Int32Array(size);
  const list = 2 * size + 1; // numbers, commas between them, the two ends
  const digits = (numbers: readonly number[]) => numbers.join("").length;
  const listCharacters = digits([...variables.keys()].map((i) => i + 1)) + 2 * (size - 1);
  return {
    words: [...SYMBOLS, ...variables, ...values],
    variables,
    values,
    maximumWords: 2 * (list + 1) + 8 * range.most,
    maximumCharacters:
      "a = []\nassert a == []\n".length +
      2 * listCharacters +
      range.most * ("a[], a[] = a[], a[]\n".length + 2 * digits([size - 1, size - 2])),
    maximumStates: range.most + 1,
    write(rng, sink) {
      const swaps = drawLength(range, rng);
      for (let i = 0; i < size; i++) held[i] = i;
      shuffle(held, rng);
      sink.word(start);
      writeList(sink, comma, size, (i) => firstValue + held[i]);
      writeWords(sink, close, newline);
      sink.state(held);
      for (let ran = 0; ran < swaps; ran++) {
        const one = rng.below(size);
        const draw = rng.below(size - 1);
        const other = draw < one ? draw : draw + 1;
        const [left, right] = [Math.min(one, other), Math.max(one, other)];
        writeList(sink, comma, 2, (i) => firstVariable + (i === 0 ? left : right));
        sink.word(equals);
        writeList(sink, comma, 2, (i) => firstVariable + (i === 0 ? right : left));
        sink.word(newline);
        [held[left], held[right]] = [held[right], held[left]];
        sink.state(held);
      }
      sink.word(assert);
      for (let i = 0; i < size; i++) {
        if (i > 0) sink.word(comma);
        sink.reveal(i, held[i]);
        sink.word(firstValue + held[i]);
      }
      writeWords(sink, close, newline);
    },
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
  };
}
