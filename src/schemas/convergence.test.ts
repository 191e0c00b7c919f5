import { expect, test } from "vitest";
import { hasLearned, stalledAt, stalledWords, unlearned } from "./convergence.ts";
import type { ResultRow, TrainingCurve } from "./experiment-result.ts";

const row = (
  change: Record<string, unknown>,
  accuracy: number,
  { asTrained = true, exact = 1, seed = 0 } = {},
): ResultRow => {
  const shares = (share: number) => ({ accuracy: share, accuracyLast: share, accuracyByReveal: [share] });
  return {
    ...{ setting: "", model: "lstm", seed, ...shares(accuracy) },
    tested: { name: JSON.stringify(change), change, programs: 1, reveals: 1, asTrained, chance: 1 / 3 },
    references: { exactBayes: shares(exact) },
  };
};
const curve = (reached: number): TrainingCurve => ({
  ...{ setting: "", model: "lstm", seed: 0, parameters: 1, learningRate: 1, steps: 9, seconds: 1 },
  stages: { reached, of: 5 },
  points: [{ step: 9, loss: 1, accuracy: 0.34, stage: "1, full" }],
});
const isLearned = (...results: ResultRow[]) => hasLearned({ results, training: [] });

test("what counts are the densest reveals of the training, from 95 % on, whatever is known of wider ones", () => {
  expect(isLearned(row({ spacing: 1 }, 0.95), row({ spacing: 4 }, 0.3))).toBe(true);
  expect(isLearned(row({ spacing: 1 }, 0.949), row({ spacing: 4 }, 1))).toBe(false);
  expect(isLearned(row({ spacing: 1 }, 1, { asTrained: false }), row({ spacing: 4 }, 0.3))).toBe(false);
});

test("of full and partial reveals the better counts, and of lengths without a spacing the best", () => {
  expect(isLearned(row({ spacing: 1, reveal: "full" }, 0.75), row({ spacing: 1 }, 0.999))).toBe(true);
  expect(isLearned(row({ length: 4 }, 0.99), row({ length: 8 }, 0.2))).toBe(true);
});

test("a list of spacings has programs of its least", () => {
  expect(isLearned(row({ spacing: [4, 1] }, 0.4), row({ spacing: 4 }, 1))).toBe(false);
  expect(isLearned(row({ spacing: [4, 1] }, 1), row({ spacing: 4 }, 0.4))).toBe(true);
});

test("where the answers cannot be known it is 95 % of what the exact filter knows", () => {
  expect(isLearned(row({ spacing: 1 }, 0.77, { exact: 0.8 }))).toBe(true);
  expect(isLearned(row({ spacing: 1 }, 0.75, { exact: 0.8 }))).toBe(false);
});

test("every seed counts for itself, and is told with its accuracy", () => {
  const results = [row({ spacing: 1 }, 1), row({ spacing: 1 }, 0.4, { seed: 1 })];
  const told = { setting: "", model: "lstm", seed: 1, accuracy: 0.4, at: '{"spacing":1}' };
  expect(unlearned({ results, training: [] })).toEqual([told]);
  expect(hasLearned({ results, training: [] }, { seed: 0 })).toBe(true);
});

test("who never came to anything that is asked has not learned it; who came to the end of its curriculum may have", () => {
  const results = [row({ spacing: 4 }, 0.3, { asTrained: false })];
  expect(unlearned({ results, training: [curve(1)] })).toMatchObject([
    { accuracy: 0.34, at: 'stage "1, full"' },
  ]);
  expect(hasLearned({ results, training: [curve(5)] })).toBe(true);
  expect(hasLearned({ results, training: [] })).toBe(true);
});

const stages = [
  [{ spacing: 1 }],
  [{ spacing: 1 }, { spacing: 4 }],
  [{ spacing: 4 }, { commands: 24, spacing: 12 }],
];
const curriculum = { stages, threshold: 0.95, averagingWindow: 100 };

test("the stages behind the last that was trained are named by their hardest change", () => {
  expect(stalledAt({ curriculum }, 2)).toBeUndefined();
  expect(stalledAt({ curriculum }, 1)).toEqual({ reached: 2, of: 3, never: ["commands 24, spacing 12"] });
  expect(stalledWords(stalledAt({ curriculum }, 0)!)).toBe(
    "curriculum stopped at stage 1 of 3; untrained: spacing 4; commands 24, spacing 12",
  );
  expect(stalledAt({ curriculum: { ...curriculum, stages: [[{}]] } }, 0)).toBeUndefined();
});
