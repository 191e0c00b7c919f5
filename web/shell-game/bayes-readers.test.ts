import { expect, test } from "vitest";
import { windowedBayes } from "../../src/tasks/repl/bayes.ts";
import { readProgram } from "../../src/tasks/repl/parser.ts";
import { heldExactly, heldWithin, questionsAt } from "./bayes-readers.ts";
import { drawn, play } from "./session.ts";

const largest = (shares: readonly number[]) => Math.max(...shares);

test("just before each print the best guess of the counted orders is as often right as the formula says", () => {
  let asked = 0;
  for (let seed = 0; seed < 60; seed++) {
    const spacing = 1 + (seed % 5);
    const session = drawn(20, spacing, seed % 2 ? "partial" : "full", seed);
    const played = play(session);
    const window = 1 + (seed % 7);
    const known = windowedBayes(readProgram(played.text), { window, boundary: true });
    for (const [i, { after, variable }] of played.reveals.entries()) {
      // Both see prints of the same moment that come earlier in the text.
      const before = { ...played, reveals: played.reveals.slice(0, i) };
      expect(largest(heldWithin(session, before, after, window)[variable])).toBeCloseTo(known[i], 12);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(200);
});

test("with all in sight it is what there is, and each row and column sums to 1", () => {
  const session = drawn(12, 4, "partial", 3);
  const played = play(session);
  for (let at = 0; at <= 12; at++) {
    expect(heldWithin(session, played, at, 99)).toEqual(heldExactly(played, at));
    const shares = heldWithin(session, played, at, 2);
    for (let i = 0; i < 3; i++) {
      expect(shares[i].reduce((sum, each) => sum + each)).toBeCloseTo(1, 12);
      expect(shares.reduce((sum, row) => sum + row[i], 0)).toBeCloseTo(1, 12);
    }
  }
});

test("a model is asked behind what has run by then, and no further", () => {
  const played = play({ start: [2, 1, 3], swaps: ["ab", "bc"], spacing: 1, reveal: "partial", seed: 1 });
  const [a, , c] = questionsAt(played, 1);
  expect(a.text.match(/ = \w, /g)).toHaveLength(1);
  expect(a.text.endsWith(">>> print('a', a)\na ")).toBe(true);
  expect(c.text.endsWith("c ")).toBe(true);
});
