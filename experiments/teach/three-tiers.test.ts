/** @file The share of Z_4's programs that a reader of V_4 alone has right: all programs of two commands, all values, all readings. */

import { expect, test } from "vitest";
import { allPermutations, apply, type Permutation } from "../../src/core/permutations.ts";
import { mean } from "../../src/core/statistics.ts";
import { crossed } from "../runner/index.ts";
import { groups } from "./three-tiers.ts";

const isKnown = (from: Permutation) => groups.V_4.some((each) => String(each) === String(from));
/** Every name is assigned from another one, and V_4 has those with two swaps. */
const cycles = allPermutations(4).filter((from) => from.every((source, i) => source !== i) && !isKnown(from));
const unknown = groups.Z_4.filter((from) => !isKnown(from));
/** What the two unknown commands may be: different texts, different cycles. */
const readings = crossed(cycles, cycles).filter(([one, other]) => one !== other);

const digits = [..."0123456789"].map(Number);
const initials = crossed(digits, digits, digits, digits);

/** Mean share of prints at which the most frequent value over all readings is right; ties count at chance. */
function shareRight(program: readonly Permutation[]): number {
  const after = (meaning: (from: Permutation) => Permutation) =>
    program.reduce<readonly number[]>((sources, from) => apply(meaning(from), sources), [0, 1, 2, 3]);
  const truth = after((from) => from);
  const read = readings.map((pair) =>
    after((from) => (isKnown(from) ? from : pair[unknown.indexOf(from as number[])])),
  );
  const shares = initials.flatMap((initial) =>
    truth.map((source, place) => {
      const votes = digits.map(() => 0);
      for (const sources of read) votes[initial[sources[place]]]++;
      const best = digits.filter((value) => votes[value] === Math.max(...votes));
      return best.includes(initial[source]) ? 1 / best.length : 0;
    }),
  );
  return mean(shares);
}

test("the most frequent value is right in 38.4 %", () => {
  const most = initials.map((all) =>
    Math.max(...all.map((value) => all.filter((each) => each === value).length)),
  );
  expect(mean(most) / 4).toBeCloseTo(0.3835, 6);
});

test("a reader of V_4 alone is right in 62.9 % of Z_4", () => {
  expect([cycles.length, unknown.length]).toEqual([6, 2]);
  const { Z_4: all } = groups;
  const programs = crossed(all, all);
  expect(mean(programs.map(shareRight))).toBeCloseTo(0.629, 3);
});
