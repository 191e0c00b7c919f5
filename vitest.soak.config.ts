import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What tests trust (src/work/run/trust.ts) is nothing to the user who runs them. */
const state = mkdtempSync(join(tmpdir(), "statelab-state-"));
process.once("exit", () => rmSync(state, { recursive: true, force: true }));

const slice = process.env.SOAK_SLICE === "ci";

/** Left to whole runs: long, and of what the tests that the slice keeps use in other ways. */
const beyondTheSlice = [
  "src/cli/{reproduce-zoo,stalled,sweep-search,version-0.1}.soak.ts",
  "src/python/{everyday,traces,untouched}.soak.ts", // golden programs and environment.soak.ts ask both hosts
  "src/serve/load.soak.ts", // load.test.ts has three hundred connections of its thousand
  "src/node-versions.soak.ts", // as long as npm test, twice
  "src/eval/benches/functions.soak.ts",
];

/**
 * The long runs: many seeds, many kills, large property tests, and what takes more than about 20 s. `SOAK_SLICE=ci` runs a fixed small
 * part of most.
 */
export default defineConfig({
  test: {
    include: ["src/**/*.soak.ts", "experiments/**/*.soak.ts", "bench/**/*.soak.ts", "web/**/*.soak.ts"],
    exclude: slice ? beyondTheSlice : [],
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    env: { XDG_STATE_HOME: state },
    pool: "forks",
    maxWorkers: 2, // of three, tests that wait for answers in time failed
    experimental: { fsModuleCache: true },
  },
});
