import fc from "fast-check";
import { expect, test } from "vitest";
import { agreementOnWords, alikeStates, difference, type MooreMachine, minimised } from "./moore-machine.ts";
import { rngFrom } from "./rng.ts";

function randomMachine(seed: number, states: number, letters: number): MooreMachine {
  const rng = rngFrom(seed);
  return {
    start: rng.below(states),
    next: Array.from({ length: states }, () => Array.from({ length: letters }, () => rng.below(states))),
    output: Array.from({ length: states }, () => rng.below(2)),
  };
}

const said = ({ start, next, output }: MooreMachine, word: readonly number[]) =>
  output[word.reduce((state, letter) => next[state][letter], start)];

test("the minimal machine says the same on all words, and no two of its states do", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 9 }), (seed, states) => {
      const machine = randomMachine(seed, states, 2);
      const small = minimised(machine);
      expect(difference(machine, small)).toBeUndefined();
      const { words, agreeing } = agreementOnWords(machine, small, 2000);
      expect(agreeing).toBe(words);
      for (const one of small.output.keys()) {
        for (const other of small.output.keys()) {
          if (one < other)
            expect(difference({ ...small, start: one }, { ...small, start: other })).toBeDefined();
        }
      }
    }),
    { numRuns: 40, seed: 1 },
  );
});

test("states are alike where no word tells them apart, reached or not", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 9 }), (seed, states) => {
      const machine = randomMachine(seed, states, 2);
      const alike = alikeStates(machine);
      for (let one = 0; one < states; one++)
        for (let other = 0; other < states; other++) {
          const word = difference({ ...machine, start: one }, { ...machine, start: other });
          expect(alike[one] === alike[other]).toBe(word === undefined);
        }
    }),
    { numRuns: 40, seed: 3 },
  );
});

test("the word that tells two machines apart does, and no shorter one", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), (a, b) => {
      const [one, other] = [randomMachine(a, 4, 2), randomMachine(b, 4, 2)];
      const word = difference(one, other);
      const { words, agreeing } = agreementOnWords(one, other, 2 ** 9);
      if (word === undefined) {
        expect(agreeing).toBe(words);
        return;
      }
      expect(said(one, word)).not.toBe(said(other, word));
      const shorter = agreementOnWords(one, other, 2 ** word.length - 1);
      if (word.length > 0)
        expect([shorter.length, shorter.agreeing]).toEqual([word.length - 1, shorter.words]);
    }),
    { numRuns: 40, seed: 2 },
  );
});

test("counting to six, said modulo three, is a machine of three states", () => {
  const six: MooreMachine = {
    start: 0,
    next: [0, 1, 2, 3, 4, 5].map((q) => [q, (q + 1) % 6]),
    output: [0, 1, 2, 0, 1, 2],
  };
  expect(minimised(six).output).toEqual([0, 1, 2]);
  expect(agreementOnWords(six, six)).toEqual({ words: 65_535, length: 15, agreeing: 65_535 });
});
