import { expect, test } from "vitest";
import { until } from "./until.ts";

test("a wait that ends in vain says what it waited for, how long, and what it saw last", async () => {
  let looks = 0;
  const waited = until(() => ++looks < 0, "a worker", { seconds: 0.05, saw: () => ({ workers: [] }) });
  await expect(waited).rejects.toThrow('waited 0.05 s for a worker; saw {"workers":[]}');
  expect(looks).toBeGreaterThan(1);
  await until(() => ++looks > 5, "more looks");
});
