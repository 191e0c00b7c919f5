import { defineConfig } from "vitest/config";

/** The long runs: many seeds, many kills, large property tests. `SOAK_SLICE=ci` runs a fixed small part of each. */
export default defineConfig({
  test: {
    include: ["src/**/*.soak.ts", "experiments/**/*.soak.ts"],
    testTimeout: 3_600_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
