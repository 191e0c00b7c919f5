import { expect, test } from "vitest";
import { collectResults, denominatorWords } from "./results.ts";
import { passAtK, programInterval } from "./scoring/pass-at-k.ts";

/** pass@k by its meaning: the share of all k-subsets of n answers that hold one of the c right ones. */
function byCounting(n: number, c: number, k: number): number {
  let all = 0;
  let hit = 0;
  for (let subset = 0; subset < 2 ** n; subset++) {
    const chosen = Array.from({ length: n }, (_, i) => (subset >> i) & 1);
    if (chosen.reduce((sum, each) => sum + each, 0) !== k) continue;
    all++;
    if (chosen.slice(0, c).includes(1)) hit++;
  }
  return hit / all;
}

test("pass@k is the share of subsets of k answers with a right one", () => {
  for (let n = 1; n <= 8; n++)
    for (let c = 0; c <= n; c++)
      for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(byCounting(n, c, k), 12);
});

test("the interval over programs covers the mean, narrows with the root of n, and has a width where all are right", () => {
  const values = (n: number) => Array.from({ length: n }, (_, i) => (i % 3 === 0 ? 1 : 0));
  const width = (n: number) => {
    const [low, high] = programInterval(values(n))!;
    expect([low < 1 / 3 + 0.01, high > 1 / 3 - 0.01]).toEqual([true, true]);
    return high - low;
  };
  // 2 * 1.96 * sqrt(p (1 - p) / n)
  expect(width(300)).toBeCloseTo(3.92 * Math.sqrt(2 / 9 / 300), 1.5);
  expect(width(300) / width(1200)).toBeGreaterThan(1.7);
  expect(programInterval([])).toBeNull();
  const [low, high] = programInterval([1, 1, 1])!;
  expect(high).toBe(1);
  expect(low).toBeLessThan(0.3); // 0.025^(1/3) = 0.29, and Student's t
});

test("a program with a missing answer is in no figure, and pairs join the two ways to show it", () => {
  const results = collectResults(2);
  const add = (arm: string, id: string, verdict: "correct" | "wrong" | "unreadable", steps = 3) =>
    results.add({ arm, predict: "output", id, steps, verdict });
  add("function", "a", "correct");
  add("function", "a", "wrong");
  add("traced", "a", "correct");
  add("traced", "a", "correct");
  add("function", "b", "wrong", 40);
  add("function", "b", "unreadable", 40);
  add("traced", "b", "wrong", 40);
  results.unanswered({ arm: "traced", predict: "output", id: "b", steps: 40 });
  const [untraced, traced] = results.arms();
  expect(untraced).toMatchObject({ programs: 2, correct: 1, wrong: 2, unreadable: 1, unanswered: 0 });
  expect(untraced.passAt[0]).toMatchObject({ k: 1, value: 0.25 });
  expect(traced).toMatchObject({ programs: 1, correct: 2, wrong: 1, unanswered: 1 });
  expect(traced.passAt[0].value).toBe(1);
  expect(untraced.bySteps.map(({ from, to, accuracy }) => [from, to, accuracy])).toEqual([
    [3, 3, 0.5],
    [40, 40, 0],
  ]);
  expect(results.pairs()).toEqual([{ predict: "output", untraced: 0.5, traced: 1, programs: 1 }]);
});

test("out of tokens is one outcome under one policy, what the endpoint lost is in no figure, and the denominators are said", () => {
  const of = (policy: "both" | "wrong" | "excluded") => {
    const results = collectResults(1, policy);
    const sample = (id: string) => ({ arm: "function", predict: "output" as const, id, steps: 2 });
    results.add({ ...sample("a"), verdict: "correct" });
    results.add({ ...sample("b"), verdict: "wrong" });
    results.add({ ...sample("c"), verdict: "out-of-tokens" });
    results.add({ ...sample("d"), verdict: "out-of-tokens" });
    results.unanswered(sample("e"));
    const [arm] = results.arms();
    const { programs, answers, outOfTokens, unanswered, passAt, excluding, bySteps } = arm;
    const without = excluding === null ? null : [excluding.programs, excluding.passAt[0].value];
    const words = denominatorWords(policy, [arm], { "content-filter": 1 });
    return {
      is: [programs, answers, passAt[0].value, outOfTokens, unanswered, bySteps[0].accuracy],
      without,
      words,
    };
  };
  const both = of("both");
  expect([both.is, both.without]).toEqual([
    [4, 4, 0.25, 2, 1, 0.25],
    [2, 0.5],
  ]);
  expect(both.words).toBe(
    "5 samples: 2 answered; 2 out of tokens, counted as wrong (rates over 4) and, in separate columns, excluded with their programs " +
      "(over 2); 1 lost to the endpoint (1 content-filter), their programs excluded",
  );
  expect([of("wrong").is, of("wrong").without]).toEqual([[4, 4, 0.25, 2, 1, 0.25], null]);
  expect([of("excluded").is, of("excluded").without]).toEqual([[2, 2, 0.5, 2, 1, 0.5], null]);
});

test("many different numbers of steps are put into ranges of five", () => {
  const results = collectResults(1);
  for (let steps = 0; steps < 20; steps++)
    results.add({
      ...{ arm: "function", predict: "output", id: String(steps), steps },
      verdict: steps < 10 ? "correct" : "wrong",
    });
  const { bySteps } = results.arms()[0];
  expect(bySteps.map(({ from, to, programs, accuracy }) => [from, to, programs, accuracy])).toEqual([
    [0, 4, 5, 1],
    [5, 9, 5, 1],
    [10, 14, 5, 0],
    [15, 19, 5, 0],
  ]);
  for (const { interval, accuracy } of bySteps)
    expect(interval[0] <= accuracy && accuracy <= interval[1]).toBe(true);
});
