import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyBeta, arraysOf, compare, oneKey, randomKey, swapKey } from "./delta-rule.test-helper.ts";
import { deltaRule } from "./delta-rule.ts";
import { Graph } from "./graph.ts";

describe("the chunked kernel equals the recurrence, gradients too", () => {
  test.each([
    [{ B: 1, T: 1, h: 1, dk: 1, dv: 1 }, 32],
    [{ B: 1, T: 1, h: 2, dk: 3, dv: 2 }, 1],
    [{ B: 2, T: 7, h: 1, dk: 3, dv: 5 }, 1],
    [{ B: 2, T: 7, h: 3, dk: 4, dv: 2 }, 2],
    [{ B: 1, T: 13, h: 2, dk: 5, dv: 1 }, 3],
    [{ B: 1, T: 37, h: 1, dk: 1, dv: 7 }, 7],
    [{ B: 2, T: 64, h: 2, dk: 8, dv: 8 }, 32],
    [{ B: 1, T: 65, h: 1, dk: 16, dv: 16 }, 33],
    [{ B: 1, T: 100, h: 1, dk: 7, dv: 7 }, 64],
    [{ B: 1, T: 130, h: 1, dk: 32, dv: 32 }, 100],
    [{ B: 1, T: 131, h: 2, dk: 8, dv: 4 }, 128],
  ])("at %j in chunks of %d", (sizes, chunk) =>
    compare(sizes, arraysOf(sizes, chunk, anyBeta, randomKey), chunk),
  );

  test("at any size, in any chunks", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ B: count(3), T: count(40), h: count(3), dk: count(9), dv: count(9) });
    await fc.assert(
      fc.asyncProperty(sizes, count(48), fc.nat(), (each, chunk, seed) =>
        compare(each, arraysOf(each, seed, anyBeta, randomKey), chunk),
      ),
      { seed: 7, numRuns: 25 },
    );
  });

  test.each([
    ["beta 1.99 and one key throughout", 512, oneKey],
    ["beta 1.99 and the keys of three swaps", 512, swapKey],
    ["beta 1.99 and random keys", 512, randomKey],
  ])("with %s over %d steps, in chunks of 1 to 128", async (_, T, drawKey) => {
    const sizes = { B: 1, T, h: 2, dk: 8, dv: 4 };
    const arrays = arraysOf(sizes, 5, () => 1.99, drawKey);
    for (const chunk of [1, 2, 3, 7, 32, 33, 64, 100, 128]) await compare(sizes, arrays, chunk);
  });

  test("with keys of length 0, as padding has", () => {
    const sizes = { B: 1, T: 9, h: 1, dk: 2, dv: 2 };
    return compare(
      sizes,
      arraysOf(sizes, 1, anyBeta, (rng, dk, t) => (t % 3 === 1 ? [0, 0] : randomKey(rng, dk, t))),
      4,
    );
  });
});

test("shapes that do not belong together are refused by name", () => {
  const graph = new Graph();
  const k = graph.input("k", [8, 64, 4, 16]);
  const q = graph.input("q", [8, 64, 4, 15]);
  const beta = graph.input("beta", [8, 64, 4]);
  const swapped = graph.input("swapped", [8, 4, 64]);
  expect(() => deltaRule(q, k, k, beta)).toThrow(
    "deltaRule: expected q of shape [8,64,4,16], got [8,64,4,15]",
  );
  expect(() => deltaRule(k, k, beta, beta)).toThrow(
    "deltaRule: expected v of shape [8,64,4,dv], got [8,64,4]",
  );
  expect(() => deltaRule(k, k, k, swapped)).toThrow(
    "deltaRule: expected beta of shape [8,64,4], got [8,4,64]",
  );
  expect(() => deltaRule(beta, beta, beta, beta)).toThrow(
    "deltaRule: expected k of shape [B, T, h, dk], got [8,64,4]",
  );
  expect(() => deltaRule(k, k, k, beta, { chunk: 0 })).toThrow(
    "deltaRule: expected a chunk of 1 step or more, got 0",
  );
  expect(() => deltaRule(k, k, k, beta, { chunk: 2.5 })).toThrow("a chunk of 1 step or more, got 2.5");
});
