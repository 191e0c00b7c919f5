import { expect, test } from "vitest";
import { measure, PROGRAMS } from "./padding.ts";

test.each(Object.keys(PROGRAMS))("%s: both ways are measured, the ratio is of the sums", async (programs) => {
  const sizes = { width: 16, batch: 2, steps: 3, warmUp: 1 };
  const row = await measure(programs, "transformer", sizes, new AbortController().signal);
  expect(Math.min(row.stage, row.batch)).toBeGreaterThan(0);
  expect(row.ratio).toBe(row.stage / row.batch);
});
