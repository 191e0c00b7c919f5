import fc from "fast-check";
import { expect, test } from "vitest";
import { learnedMachine, type Teacher, type Word } from "./l-star.ts";
import { difference, type MooreMachine, minimised } from "./moore-machine.ts";
import { rngFrom } from "./rng.ts";

const after = ({ start, next, output }: MooreMachine, word: Word) =>
  output[word.reduce((state, letter) => next[state][letter], start)];

/** Every word up to a length, shorter ones first. */
function* allWords(letters: number, longest: number): Generator<Word> {
  let ends: Word[] = [[]];
  for (let length = 0; length <= longest; length++) {
    yield* ends;
    ends = ends.flatMap((word) => Array.from({ length: letters }, (_, letter) => [...word, letter]));
  }
}

const machines = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 3 }), fc.integer())
  .map(([states, letters, seed]): MooreMachine => {
    const rng = rngFrom(seed);
    const row = (n: number) => Array.from({ length: letters }, () => rng.below(n));
    return {
      start: 0,
      next: Array.from({ length: states }, () => row(states)),
      output: Array.from({ length: states }, () => rng.below(2)),
    };
  });

test("a finite automaton is learned to the state, and each of its states is reached by the word that is told", async () => {
  await fc.assert(
    fc.asyncProperty(machines, async (truth) => {
      const letters = truth.next[0].length;
      const asked = new Set<string>();
      const learned = await learnedMachine(
        {
          letters,
          say: async (word) => {
            expect(asked.has(word.join())).toBe(false);
            asked.add(word.join());
            return after(truth, word);
          },
          // Two machines of n states that differ do so on a word shorter than 2n.
          trials: () => allWords(letters, letters === 1 ? 14 : 7),
        },
        20,
      );
      const minimal = minimised(truth);
      const found = difference(learned!.machine, truth);
      if (found !== undefined) expect(found.length).toBeGreaterThan(7);
      else expect(learned!.machine.next.length).toBe(minimal.next.length);
      expect(learned!.departs).toBeUndefined();
      expect(learned!.asked).toBe(asked.size);
      for (const [state, word] of learned!.access.entries())
        expect(word.reduce((at, letter) => learned!.machine.next[at][letter], 0)).toBe(state);
    }),
    { seed: 1, numRuns: 120 },
  );
});

test("of who counts without end a machine is told that is right on short words, and a word on which it is not", async () => {
  const zeros = (word: Word) => word.filter((letter) => letter === 0).length;
  const teacher: Teacher = {
    letters: 2,
    say: async (word) => Math.sign(2 * zeros(word) - word.length), // more zeros than ones?
    trials: () => allWords(2, 9),
  };
  const learned = await learnedMachine(teacher, 6);
  expect(learned!.machine.next.length).toBeLessThanOrEqual(6);
  const wrong = learned!.departs!;
  expect(after(learned!.machine, wrong)).not.toBe(await teacher.say(wrong));
});

test("it is left off where nothing is said any more", async () => {
  let said = 0;
  const teacher: Teacher = {
    letters: 2,
    say: async (word) => (said++ < 3 ? word.length % 3 : undefined),
    trials: () => [],
  };
  expect(await learnedMachine(teacher, 6)).toBeUndefined();
});
