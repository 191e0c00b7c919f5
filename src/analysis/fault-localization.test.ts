import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import {
  chanceOfGuessing,
  chanceOfNaming,
  chanceWithin,
  namedBlock,
  type Search,
} from "./fault-localization.ts";

const search: Search = { sequence: [0, 1, 2, 1, 2, 1, 3], shown: [0, 1, 2, 4, 5, 6], fault: 2, first: 2 };

/** By all outcomes of the judge, one by one. */
function bruteForce({ sequence, shown, fault, first }: Search, error: number): number {
  let total = 0;
  for (let errs = 0; errs < 2 ** shown.length; errs++) {
    const isErr = (i: number) => (errs >> i) % 2 === 1;
    const chance = shown.reduce((product, _, i) => product * (isErr(i) ? error : 1 - error), 1);
    const named = shown.find((at, i) => (sequence[at] === fault && at >= first) !== isErr(i));
    if (named !== undefined && sequence[named] === fault) total += chance;
  }
  return total;
}

test("the chance is that of all outcomes of the judge, counted", () => {
  for (const error of [0, 0.05, 0.3, 0.5, 1]) {
    expect(chanceOfNaming(search, error)).toBeCloseTo(bruteForce(search, error), 12);
    const late = { ...search, first: 4 };
    expect(chanceOfNaming(late, error)).toBeCloseTo(bruteForce(late, error), 12);
  }
  expect(chanceOfNaming(search, 0)).toBe(1);
  expect(chanceOfNaming({ ...search, shown: [0, 1, 6] }, 0)).toBe(0);
});

test("a judge that is drawn names the block as often as its chance says", () => {
  const draws = 4_000;
  const rng = rngFrom(3);
  const hits = Array.from({ length: draws }, (_, i) => namedBlock(search, 0.2, rng.fork(i))).filter(
    (each) => each === 2,
  ).length;
  const chance = chanceOfNaming(search, 0.2);
  expect(Math.abs(hits / draws - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / draws));
});

test("who sees the output guesses among the blocks that ran; tries add up", () => {
  expect(chanceOfGuessing(search)).toBe(1 / 4);
  expect(chanceOfGuessing({ ...search, sequence: [0, 1] })).toBe(0);
  expect(chanceWithin(0.25, 2)).toBe(7 / 16);
});
