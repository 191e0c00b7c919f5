import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { largest, logSoftmax, nextToken } from "./sampling.ts";

const logits = [1, 3, -2, 2.5, 3];

function shares(temperature: number, topP: number, draws = 20_000): number[] {
  const rng = rngFrom(9);
  const counts = logits.map(() => 0);
  for (let i = 0; i < draws; i++) counts[nextToken(logits, { temperature, topP }, rng)]++;
  return counts.map((count) => count / draws);
}

test.each([0.5, 1, 4])("at temperature %d tokens come as often as exp(logit / temperature) says", (t) => {
  const weights = logits.map((logit) => Math.exp(logit / t));
  const sum = weights.reduce((a, b) => a + b);
  for (const [i, share] of shares(t, 1).entries()) {
    const p = weights[i] / sum;
    expect(Math.abs(share - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / 20_000) + 1e-9);
  }
});

test("the nucleus is the fewest most probable tokens that reach top_p, and keeps their proportions", () => {
  // Probabilities: .050, .367, .002, .223, .367 (to three digits); the first of equal ones is the more probable.
  expect(shares(1, 0.3)).toEqual([0, 1, 0, 0, 0]);
  const [a, b, c, d, e] = shares(1, 0.7);
  expect([a, c, d]).toEqual([0, 0, 0]);
  expect(Math.abs(b - e)).toBeLessThan(0.03);
  expect(shares(1, 0.8).map((share) => share > 0)).toEqual([false, true, false, true, true]);
});

test("temperature 0 is the largest logit, the first of equal ones, and draws nothing", () => {
  const never = { ...rngFrom(0), next: () => Number.NaN };
  expect(nextToken(logits, { temperature: 0, topP: 0.1 }, never)).toBe(1);
  expect(largest([Number.NEGATIVE_INFINITY, -1])).toBe(1);
});

test("log-softmax is exact where a naive one overflows", () => {
  const [a, b] = logSoftmax([1000, 1001]);
  expect(a).toBeCloseTo(-Math.log(1 + Math.E), 12);
  expect(Math.exp(a) + Math.exp(b)).toBeCloseTo(1, 12);
});
