/**
 * @file Group words: a sequence of elements of a finite group, with their running product as the state.
 *
 *     written    <s>   [213]   [132]   [213]      S_3: each word changes the order of 1 2 3
 *     asked            [213]   [231]   [321]      the order after it
 *
 * The state after a word is (state before) · word: the earlier words apply first. A word is a group element, uniformly random, or
 * (`generators: swaps`) a transposition, or one of the listed `generators`. Targets are not written: the state is asked after every
 * word, or only after the last.
 *
 * It starts as the identity, or as another element that the text does not reveal (`start`).
 *
 * References: `exactBayes` sees all words and knows the start. `windowedBayes` sees the last W words and the number of words
 * before. It answers with the most likely state.
 *
 * Source: the word problem as in Liu et al. 2023, arXiv:2210.10749, and Merrill et al. 2024, arXiv:2404.08819. Swaps alone and the
 * first token are from Grazzi et al. 2024, arXiv:2411.12537. The windowed reference is our own.
 */

import { z } from "zod";
import { type Automaton, bestGuess, certainly, unseenFrom } from "../core/automata.ts";
import { fail } from "../core/error.ts";
import { type Group, groupNamed, LARGEST_ORDER } from "../core/groups.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Prepared } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

export const GroupWordsParams = z.strictObject({
  group: z
    .string()
    .default("S_3")
    .describe(
      "S_n or A_n up to n = 6, Z_n, D_n, Q_8, F_20, F_21, PSL(2,7), M_11, a product such as Z_2 x Z_3, or permutations that generate it, such as <2314, 2143>",
    ),
  generators: z
    .union([z.enum(["all", "swaps"]), z.array(z.union([z.string(), z.int()])).min(1)])
    .default("all")
    .describe("Written elements: all, swaps, or a list such as [23451, 23145]"),
  length: Length.default(16).describe("Words per example"),
  targets: z.enum(["each", "last"]).default("each").describe("Asks after each word, or after the last"),
  vocabulary: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("Groups whose elements are all in the vocabulary, by default only those of `group`"),
  start: z
    .union([z.string(), z.int()])
    .default("identity")
    .describe("The state before the first word, an element such as 213, which the text does not reveal"),
});
export type GroupWordsParams = z.infer<typeof GroupWordsParams>;

export const groupWords = defineTask<GroupWordsParams>({
  name: "group-words",
  summary: "elements of a finite group: what is their product so far?",
  source: "arXiv:2404.08819, arXiv:2411.12537",
  params: GroupWordsParams,
  prepare: prepareGroupWords,
  ask: (params) =>
    stateAfter(
      `Below are elements of the group ${params.group}, one after the other behind a first word <s>. A permutation is named by the order that it brings 1, 2, 3 ... into: [213] exchanges the first two places, whatever stands there; an element of Z_n is named by its number. ?? stands for the product of all elements, applied from left to right`,
      namedValues(params, groupCalled(params.group)).values,
    ),
});

const START = 0;
const FIRST_ELEMENT = 1;

function prepareGroupWords(params: GroupWordsParams): Prepared {
  const { length, targets } = params;
  const group = groupCalled(params.group);
  const start = startOf(params, group);
  const drawn = drawnOf(params, group);
  const range = lengthRange(length, "group-words");
  const { values, first } = namedValues(params, group);
  const state = new Int32Array(1);
  return {
    words: ["<s>", ...values],
    variables: ["product"],
    values,
    asks: "states",
    maximumWords: 1 + range.most,
    write(rng, sink) {
      const steps = drawLength(range, rng);
      sink.word(START);
      let product = start;
      const tell = () => {
        state[0] = first + product;
        sink.state(state);
      };
      tell();
      for (let step = 1; step <= steps; step++) {
        const element = drawn[rng.below(drawn.length)];
        sink.word(FIRST_ELEMENT + first + element);
        product = group.multiply(product, element);
        tell();
        if (targets === "each" || step === steps) sink.target(0, state[0]);
      }
    },
    references: groupReferences(group, drawn, range.most, start),
  };
}

/** The names of all elements, and the offset of the group's. */
function namedValues({ group, vocabulary }: GroupWordsParams, { elements }: Group) {
  if (vocabulary === undefined) return { values: elements.map((element) => `[${element}]`), first: 0 };
  if (!vocabulary.includes(group)) fail("group-words", `group ${group} in the vocabulary`, vocabulary);
  const named = vocabulary.map((each) => groupCalled(each).elements.map((element) => `[${each} ${element}]`));
  const before = named.slice(0, vocabulary.indexOf(group));
  return { values: named.flat(), first: before.flat().length };
}

/** The generators, in the order of the group. */
function drawnOf({ group: name, generators }: GroupWordsParams, group: Group): readonly number[] {
  if (generators === "all") return Array.from({ length: group.order }, (_, g) => g);
  if (generators === "swaps")
    return group.swaps.length > 0
      ? group.swaps
      : fail("group-words", "a group S_n for generators: swaps", name);
  const named = generators.map((each) => elementCalled(each, group, "each of generators to be"));
  return [...new Set(named)].toSorted((a, b) => a - b);
}

const startOf = ({ start }: GroupWordsParams, group: Group) =>
  start === "identity" ? 0 : elementCalled(start, group, "start to be identity or");

function elementCalled(name: string | number, { elements }: Group, expected: string): number {
  const found = elements.indexOf(String(name));
  return found >= 0
    ? found
    : fail("group-words", `${expected} one of ${elements.slice(0, 6).join(" ")} ...`, name);
}

function groupCalled(name: string): Group {
  const hint = `No group of more than ${LARGEST_ORDER} elements is made`;
  return (
    groupNamed(name) ??
    fail(
      "group-words",
      "S_2 to S_6, A_3 to A_6, Z_n, D_n, Q_8, F_20, PSL(2,7), M_11, a product such as Z_2 x Z_3 or generators such as <2314, 2143>",
      name,
      hint,
    )
  );
}

/** The window of `prepare` is the longest length: a stateless model may have learned to see W words. */
function groupReferences(group: Group, drawn: readonly number[], window: number, start: number) {
  const walk: Automaton = {
    states: group.order,
    inputs: drawn,
    next: group.multiply,
    output: (state) => state,
  };
  const unseen = unseenFrom(certainly(start, walk), walk);
  const guesses: number[] = [];
  const guessAfter = (hidden: number) => {
    guesses[hidden] ??= bestGuess(unseen(hidden), walk);
    return guesses[hidden];
  };
  return {
    exactBayes: ({ reveals }: Example) => reveals.map(() => 1),
    windowedBayes: ({ reveals }: Example) =>
      reveals.map(({ commands }) => guessAfter(Math.max(0, commands - window))),
  };
}
