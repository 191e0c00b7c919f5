/**
 * @file Dyck words: brackets of several kinds that open and close; which kind must close next?
 *
 *     written    (  [  ]  (  )  )  [
 *     asked      (  [  (  (  (  .  [       after each word: the innermost open bracket, . for none
 *
 * The state is a stack. With one kind a counter suffices; with several, the order of the open ones matters. A word opens if nothing is
 * open and closes at the maximum depth; else either, with equal probability. So every word is a prefix of a balanced one. The kind of
 * an opening bracket is uniformly random.
 *
 * References: `exactBayes` sees all. `counting` knows the depth and the last word, but no kinds. After a closing bracket, with
 * others open, it is right 1 time in k.
 *
 * Source: Dyck-(k, m) of Hewitt et al. 2020, arXiv:2010.07515. The question for the top of the stack, and the probabilities, are
 * our own.
 */

import { z } from "zod";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

const OPENING = ["(", "[", "{", "<", "⟨", "⌈", "⌊", "⟦"];
const CLOSING = [")", "]", "}", ">", "⟩", "⌉", "⌋", "⟧"];
const NOTHING = ".";

export const DyckParams = z.strictObject({
  kinds: z.int().min(1).max(OPENING.length).default(2).describe("Kinds of brackets, in all stages and tests"),
  depth: z.int().min(1).max(1_000_000).default(4).describe("Largest depth"),
  length: Length.default([1, 40]).describe("Brackets per example"),
  targets: z.enum(["last", "each"]).default("each").describe("Asks after each bracket, or after the last"),
});
export type DyckParams = z.infer<typeof DyckParams>;

export const dyck = defineTask<DyckParams>({
  name: "dyck",
  summary: "brackets of several kinds: which open bracket is the innermost?",
  source: "arXiv:2010.07515",
  params: DyckParams,
  prepare: prepareDyck,
  ask: ({ kinds }) =>
    stateAfter(
      `Below are strings of brackets. ?? stands for the innermost bracket that is still open behind the last word, one of ${OPENING.slice(0, kinds).join(" ")}, and for ${NOTHING} where none is`,
      [...OPENING.slice(0, kinds), NOTHING],
    ),
});

function prepareDyck({ kinds, depth, length, targets }: DyckParams): Prepared {
  const range = lengthRange(length, "dyck");
  const [opening, closing] = [OPENING.slice(0, kinds), CLOSING.slice(0, kinds)];
  const none = kinds; // as a value; values are the opening brackets, and nothing
  return {
    words: [...opening, ...closing, NOTHING],
    variables: ["top"],
    values: [...opening, NOTHING],
    asks: "states",
    maximumWords: range.most,
    maximumStates: range.most + 1, // one before the first word
    maximumCharacters: range.most,
    write(rng, sink) {
      const words = drawLength(range, rng);
      const open: number[] = [];
      const top = () => open.at(-1) ?? none;
      sink.state([top()]);
      for (let at = 1; at <= words; at++) {
        if (open.length === 0 || (open.length < depth && rng.below(2) === 1)) {
          const kind = rng.below(kinds);
          open.push(kind);
          sink.word(kind);
        } else sink.word(kinds + open.pop()!); // something is open
        sink.state([top()]);
        if (targets === "each" || at === words) sink.target(0, top());
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      counting: ({ text, reveals }) =>
        reveals.map(({ start, value }) =>
          value === NOTHING || opening.includes(text[start - 1]) ? 1 : 1 / kinds,
        ),
    },
  };
}
