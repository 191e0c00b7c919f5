/**
 * @file State-based recall: which bit is at an address that must be tracked first?
 *
 *     bits = [0, 1, 1, 0]
 *     a, b, c = 2, 0, 3          distinct addresses
 *     a, c = c, a                commands, as in `repl`
 *     assert bits[a] == 0        the revealed value is the bit at the current address in a
 *
 * The state is the bit that each variable points at. Neither half suffices: without the commands the addresses cannot be assigned to
 * variables, without the list an address says nothing.
 *
 * References: `exactBayes` sees all. `majority` sees all but the commands, and answers with the more common of the bits that
 * variables point at.
 *
 * Source: the idea is from Olmo Hybrid, arXiv:2604.03444. We could not read its definition, so that this one is our own.
 */

import { z } from "zod";
import { shuffle } from "../core/permutations.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import {
  checkAddresses,
  comma,
  equals,
  firstVariable,
  majorityBit,
  newline,
  recallSize,
  recallWords,
  writeBits,
  writeQuestion,
} from "./recall.ts";
import { commandSize, commandWriter } from "./repl/commands.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Prepared, writeList } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const StateRecallParams = z.strictObject({
  variables: z
    .int()
    .min(2)
    .max(8)
    .default(5)
    .describe("Number of variables, a to h, each with a distinct address"),
  commandKind: z
    .enum(["swap", "permutation"])
    .default("swap")
    .describe("A swap of two variables, or a permutation of all"),
  commands: z.int().min(1).max(1_000_000).default(16).describe("Commands per example"),
  length: Length.default(64).describe("Bits in the list, at least as many as variables"),
  addresses: z
    .int()
    .min(2)
    .max(10_000)
    .default(128)
    .describe("Number of addresses in the vocabulary, at least the length"),
});
type StateRecallParams = z.infer<typeof StateRecallParams>;

export const stateRecall = defineTask<StateRecallParams>({
  name: "state-recall",
  summary: "a Python program that permutes addresses: which bit is at the address of a variable?",
  source: "arXiv:2604.03444",
  params: StateRecallParams,
  prepare: prepareStateRecall,
  ask: () => lastAssertion,
});

function prepareStateRecall(params: StateRecallParams): Prepared {
  const { variables: n, commandKind, commands, length, addresses } = params;
  const range = lengthRange(length, "state-recall");
  checkAddresses("state-recall", range, addresses, n);
  const firstNumber = firstVariable + n;
  const command = commandWriter(commandKind, n, { newline, equals, comma, firstVariable });
  const memory = new Uint8Array(range.most);
  const order = new Int32Array(range.most);
  const held = new Int32Array(n);
  const pointedAt = new Uint8Array(n);
  const size = recallSize(range.most);
  const each = commandSize(commandKind, n);
  return {
    words: recallWords(n, addresses),
    variables: VARIABLES.slice(0, n).map((name) => `bits[${name}]`),
    values: ["0", "1"],
    maximumWords: size.words + 4 * n + commands * each.words,
    maximumCharacters:
      size.characters +
      (2 * (3 * n - 2) + " = \n".length + n * (`${range.most - 1}`.length - 1)) +
      commands * each.characters,
    write(rng, sink) {
      const bits = memory.subarray(0, drawLength(range, rng));
      writeBits(rng, sink, bits, firstNumber);
      const places = order.subarray(0, bits.length);
      for (let i = 0; i < places.length; i++) places[i] = i;
      shuffle(places, rng);
      held.set(places.subarray(0, n));
      const state = () => {
        for (let i = 0; i < n; i++) pointedAt[i] = bits[held[i]];
        sink.state(pointedAt);
      };
      writeList(sink, comma, n, (i) => firstVariable + i);
      sink.word(equals);
      writeList(sink, comma, n, (i) => firstNumber + held[i]);
      sink.word(newline);
      state();
      for (let ran = 0; ran < commands; ran++) {
        command(rng, sink, held);
        state();
      }
      const asked = rng.below(n);
      writeQuestion(sink, asked, pointedAt[asked], firstNumber);
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      majority: ({ states, reveals }) => reveals.map(() => majorityBit(Object.values(states[0].values))),
    },
  };
}
