import { expect, test } from "vitest";
import { measure } from "./decode.ts";

test("every model is measured, and gives the same logits step by step as over the whole sequence", async () => {
  const sizes = { steps: 60, window: 20, warmUp: 5, length: 40, contexts: [48, 24] };
  const rows = [];
  for await (const row of measure(sizes, new AbortController().signal)) rows.push(row);
  expect(rows.map(({ model, context }) => [model, context])).toEqual([
    ["deltanet", null],
    ["lstm", null],
    ["mamba", null],
    ["transformer", 48],
    ["transformer", 24],
  ]);
  for (const { early, late, ratio, tokensPerSecond, again, againRatio } of rows) {
    expect(Math.min(early, late, again)).toBeGreaterThan(0);
    expect([ratio, tokensPerSecond, againRatio]).toEqual([late / early, 1000 / late, again / early]);
  }
});
