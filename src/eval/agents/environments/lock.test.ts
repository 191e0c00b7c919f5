import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import { executeAll, hasPython } from "../../python.test-helper.ts";
import { episodesOf } from "../episode.test-helper.ts";
import { lock } from "./lock.ts";

test.skipIf(!hasPython)(
  "CPython holds the code in the variable a, line after line (skipped without python3)",
  () => {
    const programs = [
      [2, 6],
      [3, 20],
      [10, 50],
    ].map(([values, length]) => {
      const { program, code } = lock.draw({ values, length }, rngFrom(length));
      const [first, ...lines] = program;
      expect(lines).toHaveLength(length);
      return { code: [first, ...lines.flatMap((line, i) => [line, `assert a == ${code[i]}`])].join("\n") };
    });
    expect(executeAll(programs)).toEqual(programs.map(() => ({ kind: "passed" })));
  },
);

test("a guess opens a lock of H digits out of n with probability n^-H, who follows it opens every one", async () => {
  const settings = { lock: { values: 2, length: 4 } };
  const guessed = await episodesOf({ world: "lock", policy: "guessing", view: "window", settings }, 1000);
  const open = guessed.filter(({ end }) => end.score.share === 1).length / 1000;
  expect(Math.abs(open - 2 ** -4)).toBeLessThan(3 * Math.sqrt((2 ** -4 * (1 - 2 ** -4)) / 1000));
  expect(guessed[0].end.score.byGuess).toBe(2 ** -4);
  const followed = await episodesOf(
    { world: "lock", policy: "tracking", settings: { lock: { length: 30, values: 5 } } },
    50,
  );
  expect(followed.every(({ end }) => end.over && end.score.share === 1)).toBe(true);
});

test("what is no digit is refused, nothing is told before the end, and nothing is taken after it", () => {
  const state = lock.draw({ values: 3, length: 1 }, rngFrom(1));
  const enter = (digit: number | string) => lock.act(state, { name: "enter", arguments: [digit] });
  expect(enter("0").answer).toMatchObject({ error: "TypeError" });
  expect(enter(0.5).answer).toMatchObject({ error: "TypeError" });
  expect(enter(0).answer).toEqual(enter(1).answer);
  expect(lock.act(enter(0).state, { name: "enter", arguments: [0] }).answer).toMatchObject({
    error: "RuntimeError",
  });
});
