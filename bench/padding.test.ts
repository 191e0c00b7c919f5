import { expect, test } from "vitest";
import { measure, PROGRAMS } from "./padding.ts";

test.each(Object.keys(PROGRAMS))("%s: each way is measured that its losses allow", async (programs) => {
  const sizes = { width: 16, batch: 2, steps: 3, warmUp: 1 };
  const { stage, batch, rows, pack } = await measure(
    programs,
    "transformer",
    sizes,
    new AbortController().signal,
  );
  expect(Math.min(stage, batch, rows ?? 1, pack ?? 1)).toBeGreaterThan(0);
  expect([rows, pack].includes(undefined)).toBe("stateSupervision" in PROGRAMS[programs]);
});
