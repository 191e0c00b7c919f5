import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { between, check, eachHead, type Input, onlyNumber } from "./check.test-helper.ts";
import { anyBeta, type DrawKey, oneKey, randomKey, type Sizes, swapKey } from "./delta-rule.test-helper.ts";
import { gatedDeltaRuleNaive } from "./gated-delta-rule.naive.ts";
import { gatedDeltaRule } from "./gated-delta-rule.ts";
import { Graph } from "./graph.ts";

type Draw = NonNullable<Input["draw"]>;

const mild: Draw = between(-0.3, 0);
/** Most steps forget nearly all, some nothing, and now and then one is beyond what float32 can hold as a power. */
const strong: Draw = (rng) => [-1e-3, -8 * rng.next(), -40, -250][rng.below(4)];

/** Keys that are drawn as the rule wants them; their gradient is asked for all the same. */
function keysOf({ B, T, h, dk }: Sizes, draw: DrawKey): Draw {
  const rng = rngFrom(B * T * h * dk).fork("keys");
  const cells = Array.from({ length: B * T * h }, (_, n) => draw(rng, dk, n)).flat();
  let next = 0;
  return () => cells[next++ % cells.length];
}

function compare(sizes: Sizes, chunk: number, logDecay: Draw, drawKey = randomKey, beta: Draw = anyBeta) {
  const { B, T, h, dk, dv } = sizes;
  return check({
    name: `gated delta rule ${JSON.stringify(sizes)} ${chunk}`,
    inputs: [
      { shape: [B, T, h, dk] },
      { shape: [B, T, h, dk], draw: keysOf(sizes, drawKey) },
      { shape: [B, T, h, dv] },
      { shape: [B, T, h], draw: beta },
      { shape: [B, T, h], draw: logDecay },
    ],
    op: (q, k, v, b, a) => gatedDeltaRule(q, k, v, b, a, { chunk }),
    naive: (...given) =>
      eachHead((q, k, v, b, a) => gatedDeltaRuleNaive(q, k, v, onlyNumber(b), onlyNumber(a)), given),
  });
}

describe("the chunked kernel equals the recurrence, gradients too", () => {
  test.each([
    [{ B: 1, T: 1, h: 1, dk: 1, dv: 1 }, 32],
    [{ B: 2, T: 7, h: 1, dk: 3, dv: 5 }, 1],
    [{ B: 2, T: 7, h: 3, dk: 4, dv: 2 }, 2],
    [{ B: 1, T: 37, h: 1, dk: 1, dv: 7 }, 7],
    [{ B: 2, T: 32, h: 2, dk: 4, dv: 3 }, 32],
    [{ B: 1, T: 65, h: 1, dk: 7, dv: 5 }, 33],
    [{ B: 1, T: 131, h: 1, dk: 5, dv: 4 }, 128],
  ])("at %j in chunks of %d", async (sizes, chunk) => {
    await compare(sizes, chunk, mild);
    await compare(sizes, chunk, strong);
  });

  test("at any size, in any chunks", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ B: count(2), T: count(30), h: count(2), dk: count(6), dv: count(6) });
    await fc.assert(
      fc.asyncProperty(sizes, count(40), fc.boolean(), (each, chunk, hard) =>
        compare(each, chunk, hard ? strong : mild),
      ),
      { seed: 9, numRuns: 8 },
    );
  });

  test.each([
    ["one key throughout", oneKey],
    ["the keys of three swaps", swapKey],
  ])("with beta 1.99 and %s, hardly any decay, in chunks of 3 to 100", async (_, drawKey) => {
    const sizes = { B: 1, T: 150, h: 1, dk: 4, dv: 3 };
    for (const chunk of [3, 32, 100]) {
      await compare(sizes, chunk, between(-0.01, 0), drawKey, () => 1.99);
    }
  });
});

test("shapes that do not belong together are refused by name", () => {
  const graph = new Graph();
  const k = graph.input("k", [8, 64, 4, 16]);
  const beta = graph.input("beta", [8, 64, 4]);
  const swapped = graph.input("swapped", [8, 4, 64]);
  expect(() => gatedDeltaRule(k, k, k, beta, swapped)).toThrow(
    "gatedDeltaRule: expected logDecay of shape [8,64,4], got [8,4,64]",
  );
  expect(() => gatedDeltaRule(k, k, k, swapped, beta)).toThrow(
    "gatedDeltaRule: expected beta of shape [8,64,4], got [8,4,64]",
  );
  expect(() => gatedDeltaRule(k, k, k, beta, beta, { chunk: 0 })).toThrow(
    "gatedDeltaRule: expected a chunk of 1 step or more, got 0",
  );
});
