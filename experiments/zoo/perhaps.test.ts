import fc from "fast-check";
import { expect, test } from "vitest";
import { eventReader, machineFrom } from "../../src/tasks/automaton/machine.ts";
import { exactPosteriors } from "../../src/tasks/posterior.ts";
import { perhapsSwaps } from "./data.ts";

const pairs = { ab: [0, 1], ac: [0, 2], bc: [1, 2] } as const;

/** Every outcome of every word, one by one: which things stood where when they were named, and how likely that is. */
function listed(words: readonly (keyof typeof pairs)[], named: readonly number[], probability: number) {
  let all = [{ things: ["1", "2", "3"], share: 1 }];
  const told: number[][] = [];
  const answers: string[] = [];
  for (const [i, word] of words.entries()) {
    const [one, other] = pairs[word];
    all = all.flatMap(({ things, share }) => {
      const moved = [...things];
      [moved[one], moved[other]] = [things[other], things[one]];
      return [
        { things, share: share * (1 - probability) },
        { things: moved, share: share * probability },
      ];
    });
    const total = all.reduce((sum, { share }) => sum + share, 0);
    const shares = ["1", "2", "3"].map(
      (thing) =>
        all.filter(({ things }) => things[named[i]] === thing).reduce((sum, { share }) => sum + share, 0) /
        total,
    );
    told.push(shares);
    // What is revealed: the least likely that is possible, so that the filter has something to learn.
    const possible = shares.flatMap((share, thing) => (share > 0 ? [{ share, thing }] : []));
    const { thing } = possible.toSorted((a, b) => a.share - b.share)[0];
    answers.push(String(thing + 1));
    all = all.filter(({ things }) => things[named[i]] === answers[i]);
  }
  return { told, answers };
}

test("the filter of the automaton is what a list of every outcome says", () => {
  const word = fc.constantFrom("ab", "ac", "bc") as fc.Arbitrary<keyof typeof pairs>;
  fc.assert(
    fc.property(
      fc.array(fc.record({ word, named: fc.integer({ min: 0, max: 2 }) }), { minLength: 1, maxLength: 7 }),
      fc.constantFrom(0.9, 0.25, 0.5),
      (steps, probability) => {
        const { told, answers } = listed(
          steps.map((step) => step.word),
          steps.map((step) => step.named),
          probability,
        );
        const text = steps.map((step, i) => `${step.word}\n${"abc"[step.named]} ${answers[i]}\n`).join("");
        const machine = machineFrom(perhapsSwaps(probability));
        const found = exactPosteriors(eventReader(machine)(text));
        const names = steps.map(({ named }) => machine.answerNames[named]);
        for (const [i, shares] of told.entries())
          for (const [thing, share] of shares.entries())
            expect(found[i][names[i].indexOf(String(thing + 1))]).toBeCloseTo(share, 10);
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});
