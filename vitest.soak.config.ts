import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What tests trust (src/work/run/trust.ts) is nothing to the user who runs them. */
const state = mkdtempSync(join(tmpdir(), "statelab-state-"));
process.once("exit", () => rmSync(state, { recursive: true, force: true }));

/**
 * The long runs: many seeds, many kills, large property tests, and what takes more than about 20 s. `SOAK_SLICE=ci` runs a fixed small
 * part of each.
 */
export default defineConfig({
  test: {
    include: ["src/**/*.soak.ts", "experiments/**/*.soak.ts", "bench/**/*.soak.ts", "web/**/*.soak.ts"],
    testTimeout: 3_600_000,
    env: { XDG_STATE_HOME: state },
    pool: "forks",
    maxWorkers: 2,
  },
});
