import { describe, expect, test } from "vitest";
import { causalAttentionNaive } from "./attention.naive.ts";
import { causalAttention } from "./attention.ts";
import { check } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";

const sizes = [
  [1, 1, 1, 1, 1, 64],
  [2, 3, 7, 5, 2, 64],
  [1, 2, 13, 3, 4, 4],
  [2, 1, 12, 2, 3, 4],
  [1, 1, 5, 7, 1, 1],
  [1, 2, 65, 4, 3, 64],
] as const;
describe.each([{}, { keep: 0 }])("%j, without weights kept they are computed again", (options) => {
  test.each(sizes)(
    "equals its twin with B, h, T, dk, dv = %d, %d, %d, %d, %d in blocks of %d",
    (B, h, T, dk, dv, block) =>
      check({
        name: `causalAttention ${B} ${h} ${T} ${dk} ${dv} ${block}`,
        inputs: [{ shape: [B, h, T, dk] }, { shape: [B, h, T, dk] }, { shape: [B, h, T, dv] }],
        op: (q, k, v) => causalAttention(q, k, v, { block, ...options }),
        naive: causalAttentionNaive,
      }),
  );
});

test("shapes that do not belong together are refused by name", () => {
  const graph = new Graph();
  const q = graph.input("q", [2, 3, 5, 4]);
  const other = graph.input("other", [2, 3, 6, 4]);
  const flat = graph.input("flat", [5, 4]);
  expect(() => causalAttention(q, other, q)).toThrow(
    "causalAttention: expected k of shape [2,3,5,4], got [2,3,6,4]",
  );
  expect(() => causalAttention(q, q, other)).toThrow(
    "causalAttention: expected v of shape [2,3,5,4], got [2,3,6,4]",
  );
  expect(() => causalAttention(flat, flat, flat)).toThrow(
    "causalAttention: expected q of shape [B, h, T, dk], got [5,4]",
  );
  expect(() => causalAttention(q, q, q, { block: 0 })).toThrow("a block of 1 query or more, got 0");
});
