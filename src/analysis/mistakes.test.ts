import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { mistakesOf } from "./mistakes.ts";
import { recordingOf } from "./recording.test-helper.ts";
import type { Program, Recording } from "./recording.ts";

/** One variable of four values, asked after each of its moves. */
function walk(states: readonly number[]): Program {
  const moves = states.slice(1);
  return {
    tokens: moves.map(String),
    classes: moves.map(() => "command"),
    places: moves.map(() => 0),
    commands: moves.map((_, t) => t + 1),
    letters: moves.map(String),
    states: states.map((state) => [state]),
    ends: [-1, ...moves.keys()],
    questions: moves.map((value, position) => ({ position, variable: 0, value })),
  };
}

function answered(programs: readonly Program[], answers: Recording["answers"]): Recording {
  return { ...recordingOf(programs, {}), values: ["0", "1", "2", "3"], answers };
}

const shares = (recording: Recording) =>
  Object.fromEntries(mistakesOf(recording).kinds.map(({ kind, share }) => [kind, share]));

test("each wrong answer is told by what the variable held, and by what an even guess would be", () => {
  // 0 -> 1 -> 1 -> 2: right, one behind (though the last command moved nothing), two behind.
  const recording = answered([walk([0, 1, 1, 2])], [[1, 0, 0]]);
  const { questions, wrong, kinds } = mistakesOf(recording);
  expect([questions, wrong]).toEqual([3, 2]);
  expect(kinds.map(({ kind, share }) => [kind, share])).toEqual([
    ["before", 1 / 2],
    ["earlier", 1 / 2],
    ["never", 0],
    ["noValue", 0],
  ]);
  // Of the three other values: at 1 there are 0 (before), 2, 3; at 2 there are 1 (before), 0 (earlier), 3.
  expect(kinds.map(({ even }) => even)).toEqual(
    [2 / 6, 1 / 6, 3 / 6, 0].map((share) => expect.closeTo(share, 12)),
  );
});

test("a model that is one command behind says what was before, one that guesses says all evenly", () => {
  const rng = rngFrom(2);
  const programs = Array.from({ length: 200 }, () => walk(Array.from({ length: 9 }, () => rng.below(4))));
  const behind = programs.map(({ states }) => states.slice(0, -1).map(([value]) => value));
  expect(shares(answered(programs, behind))).toEqual({ before: 1, earlier: 0, never: 0, noValue: 0 });
  const guessed = programs.map(({ questions }) => questions.map(() => rng.below(4)));
  for (const { interval, even } of mistakesOf(answered(programs, guessed)).kinds) {
    expect(interval[0]).toBeLessThanOrEqual(even + 0.02);
    expect(interval[1]).toBeGreaterThanOrEqual(even - 0.02);
  }
});

test("a word that is no value is a kind of its own", () => {
  expect(shares(answered([walk([0, 1])], [[-1]]))).toMatchObject({ noValue: 1 });
});
