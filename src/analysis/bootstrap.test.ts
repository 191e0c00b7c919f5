import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { type AskedProgram, bootstrapDifference } from "./bootstrap.ts";

const programs = (...rows: [asked: number, rightA: number, rightB: number][]): AskedProgram[] =>
  rows.map(([asked, rightA, rightB]) => ({ asked, rightA, rightB }));

/** The 2.5 % and 97.5 % points over all n^n equally likely draws, by the definition of D. */
function exactInterval(all: readonly AskedProgram[]): [number, number] {
  const n = all.length;
  const differences: number[] = [];
  for (let code = 0; code < n ** n; code++) {
    const drawn = all.map((_, i) => all[Math.floor(code / n ** i) % n]);
    const sum = (f: (program: AskedProgram) => number) => drawn.reduce((total, each) => total + f(each), 0);
    differences.push((sum(({ rightB }) => rightB) - sum(({ rightA }) => rightA)) / sum(({ asked }) => asked));
  }
  differences.sort((x, y) => x - y);
  return [differences[Math.floor(0.025 * n ** n)], differences[Math.floor(0.975 * n ** n)]];
}

test("with five programs the interval is that of all 3,125 ways to draw them", () => {
  const five = programs([4, 1, 4], [2, 2, 1], [4, 0, 3], [1, 0, 0], [3, 3, 1]);
  const { difference, interval } = bootstrapDifference(five, { rng: rngFrom(1), draws: 40_000 });
  expect(difference).toBeCloseTo(3 / 14, 12);
  const [low, high] = exactInterval(five);
  expect(interval[0]).toBeCloseTo(low, 1.3); // a step of D near the 2.5 % point
  expect(interval[1]).toBeCloseTo(high, 1.3);
  expect(low).toBeLessThan(0);
  expect(high).toBeGreaterThan(0.5);
});

test("with 400 programs its width is the normal one of a paired difference", () => {
  const rng = rngFrom(2);
  // Both right 50 %, only b 20 %, only a 10 %, none 20 %: variance of d is 0.3 − 0.1².
  const kinds = Array.from({ length: 400 }, () => rng.next());
  const many = programs(
    ...kinds.map((u): [number, number, number] => [
      1,
      Number(u < 0.6),
      Number(u < 0.5 || (u > 0.6 && u < 0.8)),
    ]),
  );
  const { difference, interval } = bootstrapDifference(many, { rng });
  const d = many.map(({ rightA, rightB }) => rightB - rightA);
  const middle = d.reduce((a, b) => a + b) / 400;
  const deviation = Math.sqrt(d.reduce((total, x) => total + (x - middle) ** 2, 0) / 400);
  expect(difference).toBeCloseTo(middle, 12);
  expect(interval[1] - interval[0]).toBeCloseTo((2 * 1.96 * deviation) / 20, 2);
});

test("the same seed gives the same interval; equal answers leave none", () => {
  const five = programs([4, 1, 4], [2, 2, 1], [4, 0, 3]);
  const again = () => bootstrapDifference(five, { rng: rngFrom(3) });
  expect(again()).toEqual(again());
  expect(bootstrapDifference(programs([2, 1, 1], [3, 0, 0]), { rng: rngFrom(3) })).toEqual({
    difference: 0,
    interval: [0, 0],
  });
});
