import { expect, test } from "vitest";
import { measure } from "./supervision.ts";

test("a model is measured without supervision and with every head; the ratios are to the first", async () => {
  const sizes = { widths: [16], swaps: 2, batch: 2, steps: 3, warmUp: 1 };
  const rows = await measure("transformer", 16, sizes, new AbortController().signal);
  expect(rows.map(({ head }) => head)).toEqual(["none", "linear", "decoder", "contrastive"]);
  for (const { milliseconds, ratio } of rows) {
    expect(milliseconds).toBeGreaterThan(0);
    expect(ratio).toBe(milliseconds / rows[0].milliseconds);
  }
});
