import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { modelAccuracy } from "./accuracy.ts";
import { countMistakes, mistakes } from "./errors.ts";
import { programOf, recordingOf } from "./recording.test-helper.ts";
import type { Program, Recording } from "./recording.ts";

/** One variable of four values, asked after each of its moves. */
const walk = (states: readonly number[]): Program =>
  programOf(
    states.slice(1).map(String),
    states.map((state) => [state]),
  );

function answered(programs: readonly Program[], answers: Recording["answers"]): Recording {
  return { ...recordingOf(programs, {}), values: ["0", "1", "2", "3"], answers };
}

const shares = (recording: Recording) =>
  Object.fromEntries(countMistakes(recording).kinds.map(({ kind, share }) => [kind, share]));

test("each wrong answer is told by what the variable held, and by what an even guess would be", () => {
  // 0 -> 1 -> 1 -> 2: right, one late (though the last command moved nothing), two late.
  const recording = answered([walk([0, 1, 1, 2])], [[1, 0, 0]]);
  const { questions, wrong, kinds } = countMistakes(recording);
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
  for (const { interval, even } of countMistakes(answered(programs, guessed)).kinds) {
    expect(interval[0]).toBeLessThanOrEqual(even + 0.02);
    expect(interval[1]).toBeGreaterThanOrEqual(even - 0.02);
  }
});

test("a word that is no value is a kind of its own", () => {
  expect(shares(answered([walk([0, 1])], [[-1]]))).toMatchObject({ noValue: 1 });
});

/** What the page says of these answers. */
function saidOf(recording: Recording): string {
  const part = mistakes.part(countMistakes(recording), {
    accuracy: modelAccuracy(recording, {}),
    of: () => undefined,
  });
  return part?.meaning.join(" ") ?? "";
}
const fives = ["0", "1", "2", "3", "4"];
/** 100 programs of 3 questions each, drawn evenly over five values. */
function drawn(seed: number): Program[] {
  const rng = rngFrom(seed);
  return Array.from({ length: 100 }, () => walk(Array.from({ length: 4 }, () => rng.below(5))));
}
/** A model that answers by the correct value and the number of the question. */
function saying(
  programs: readonly Program[],
  say: (value: number, place: number) => number,
  values = fives,
): Recording {
  let place = 0;
  const answers = programs.map(({ questions }) => questions.map(({ value }) => say(value, place++)));
  return { ...answered(programs, answers), values };
}
const namedIn = (recording: Recording) =>
  countMistakes(recording).rules.flatMap(({ rule, named }) => (named ? [rule] : []));

test("a constant offset is found, is systematic, and is not called a lost command", () => {
  const programs = drawn(3);
  const recording = saying(programs, (value, place) => (place < 274 ? (value + 4) % 5 : value));
  expect(namedIn(recording)).toEqual(["offset"]);
  const said = saidOf(recording);
  expect(said).toMatch(/It answers the correct value \u2212 1, modulo 5 in 91\.3\s% of the 300 cases/);
  expect(said).toMatch(/Accuracy is 8\.7\s%, below chance \(20\.0\s%\): the errors are systematic/);
  expect(said).not.toMatch(/behind|one command|before/);
  const { answers } = countMistakes(recording);
  expect(answers.flat().reduce((sum, count) => sum + count, 0)).toBe(300);
  expect(answers[2][1]).toBeGreaterThan(answers[2][2]);
});

test("an offset over words is told by their order, one constant answer as such", () => {
  const programs = drawn(4);
  const words = ["red", "blue", "green", "black", "white"];
  const shifted = saying(programs, (value) => (value + 2) % 5, words);
  expect(saidOf(shifted)).toContain("the value 2 after the correct one in red, blue, green, black, white");
  const constant = saying(programs, () => 3, words);
  expect(namedIn(constant)).toEqual(["constant"]);
  expect(saidOf(constant)).toContain("It answers black, whatever the correct value");
});

test("a counter that is one command behind cannot be told from an offset, and both are said", () => {
  const programs = Array.from({ length: 60 }, (_, start) =>
    walk([0, 1, 2, 3].map((step) => (start + step) % 5)),
  );
  const recording = saying(programs, (value) => (value + 4) % 5);
  expect(namedIn(recording)).toEqual(expect.arrayContaining(["offset", "behind"]));
  expect(saidOf(recording)).toContain("do not distinguish the rules");
});

test("one command behind is not the last reveal, where the variable was asked of late", () => {
  // Asked after the first and the last of five moves.
  const rng = rngFrom(5);
  const programs = Array.from({ length: 80 }, () => {
    const whole = walk(Array.from({ length: 6 }, () => rng.below(5)));
    return { ...whole, questions: [whole.questions[0], whole.questions[4]] };
  });
  const behind = programs.map(({ states }) => [states[0][0], states[4][0]]);
  expect(namedIn({ ...answered(programs, behind), values: fives })).toEqual(["behind"]);
  const repeated = programs.map(({ states }) => [states[1][0], states[1][0]]);
  expect(namedIn({ ...answered(programs, repeated), values: fives })).toEqual(["repeated"]);
});

test("of few wrong answers, and of random ones, no cause is named, and guessing is not claimed", () => {
  const few = drawn(6).slice(0, 5);
  const some = saidOf(saying(few, (value) => (value + 4) % 5));
  expect(some).toContain("With fewer than 30 wrong answers, no cause is reported.");
  expect(some).not.toMatch(/It answers|guesses/);
  const programs = drawn(7);
  const rng = rngFrom(8);
  const random = saidOf(saying(programs, () => rng.below(5)));
  expect(random).toContain("No tested rule explains most of the wrong answers.");
  expect(random).not.toMatch(/guesses|systematic/);
});
