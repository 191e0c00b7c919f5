import { expect, test } from "vitest";
import { EvalConfig } from "./eval-config.ts";

test.each([{ extraBody: { model: "other" } }, { idleSeconds: 1e9 }])(
  "a manifest's %j is refused",
  (given) => {
    expect(EvalConfig.safeParse(given).success).toBe(false);
    expect(EvalConfig.safeParse({ extraBody: { top_k: 20 }, idleSeconds: 300 }).success).toBe(true);
  },
);
