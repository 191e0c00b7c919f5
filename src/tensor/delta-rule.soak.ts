import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { anyBeta, arraysOf, compare, oneKey, randomKey, swapKey } from "./delta-rule.test-helper.ts";

const cases = process.env.SOAK_SLICE === "ci" ? 40 : 1500;

test(`${cases} random sizes, chunks and kinds of keys give the recurrence's outputs and gradients`, async () => {
  const rng = rngFrom(11).fork("delta-rule");
  const below = (max: number) => 1 + rng.below(max);
  for (let n = 0; n < cases; n++) {
    const keys = [randomKey, swapKey, oneKey][rng.below(3)];
    const sizes = { B: below(3), T: below(200), h: below(3), dk: 3 + rng.below(30), dv: below(33) };
    const beta = rng.below(2) === 0 ? anyBeta : () => 1.99;
    const chunk = below(96);
    await compare(sizes, arraysOf(sizes, n, beta, keys), chunk).catch((error: unknown) => {
      throw new Error(`case ${n}: ${JSON.stringify({ ...sizes, chunk, keys: keys.name })}`, { cause: error });
    });
  }
  expect(cases).toBeGreaterThan(0);
});
