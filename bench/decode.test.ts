import { expect, test } from "vitest";
import { measure } from "./decode.ts";

test("every model is measured, and gives the same logits step by step as over the whole sequence", async () => {
  const sizes = { steps: 80, window: 20, warmUp: 5, length: 40, contexts: [96, 64] };
  const rows = [];
  for await (const row of measure(sizes, new AbortController().signal)) rows.push(row);
  expect(rows.map(({ model, context }) => [model, context])).toEqual([
    ["deltanet", null],
    ["lstm", null],
    ["mamba", null],
    ["transformer", 96],
    ["transformer", 64],
  ]);
  for (const { early, late, ratio, tokensPerSecond, again, againRatio, prompt } of rows) {
    expect(Math.min(prompt.alone.ofSteps, prompt.four.ofSteps, prompt.four.tokensPerSecond)).toBeGreaterThan(
      0,
    );
    expect(Math.min(early, late, again)).toBeGreaterThan(0);
    expect([ratio, tokensPerSecond, againRatio]).toEqual([late / early, 1000 / late, again / early]);
  }
});
