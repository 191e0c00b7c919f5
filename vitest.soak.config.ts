import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What tests trust (src/app/own-code/trust.ts) is nothing to the user who runs them. */
const state = mkdtempSync(join(tmpdir(), "statelab-state-"));
process.once("exit", () => rmSync(state, { recursive: true, force: true }));

const slice = process.env.SOAK_SLICE === "ci";

/** Left to whole runs: long, and of what npm test, or what the slice keeps, has smaller cases. */
const beyondTheSlice = [
  "test/e2e/{reproduce-zoo,slurm,sweep-search}.soak.ts", // Slurm: minutes of waits for daemons of its own
  "test/e2e/{damaged-file,data-worker,engine-rates,objects,own-files,redis,sweep,train-disk,train-kill,trust-code}.soak.ts",
  "packages/redis/*.soak.ts",
  "src/models/{conformance,constructions,traits}.soak.ts",
  "src/python/sandbox/{session,traces,memory-reset}.soak.ts", // golden programs and proofs.soak.ts ask both hosts
  "src/serve/load.soak.ts",
  "src/storage/kill.soak.ts",
  "src/app/llm/misbehaviours.soak.ts", // load.test.ts has three hundred connections of its thousand
  "test/programs.soak.ts", // proofs.soak.ts has the programs of each kind
  "web/page.scale.soak.ts",
  "web/site.soak.ts", // test/docs has the pages, their links and words
  "web/train/webgpu.soak.ts", // webgpu.test.ts trains outside of the page
  "test/docs/neighbors-page.soak.ts", // neighbors-page.test.ts has the table and its commands
  "test/webgpu.soak.ts", // webgpu.test.ts trains one architecture, src/tensor/webgpu.test.ts has the operators
  "test/node-versions.soak.ts", // as long as npm test, twice
  "src/eval/benchmarks/functions.soak.ts",
  "experiments/headline/headline.soak.ts", // behavior.test.ts has the losses of such a training, trainer.test.ts one that learns
  "src/train/repeat-first.soak.ts", // sessions.test.ts and packing.test.ts have every mixer that packs
];

/** They wait for daemons, workers or answers in time, or measure: run one after the other, when the rest has ended. */
const alone = [
  "bench/**/*.soak.ts",
  "test/proofs.soak.ts", // programs with limits of time on both hosts
  "test/e2e/{cluster-simulate,engine-rates,objects,redis,slurm}.soak.ts",
  "packages/redis/*.soak.ts",
  "src/serve/load.soak.ts",
  "src/app/llm/misbehaviours.soak.ts",
  "web/page.scale.soak.ts",
];

const excluded = slice ? beyondTheSlice : [];

/**
 * The long runs: many seeds, many kills, large property tests, and what takes more than about 20 s. `SOAK_SLICE=ci` runs a fixed small
 * part of most.
 */
export default defineConfig({
  test: {
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    env: { XDG_STATE_HOME: state },
    pool: "forks",
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["src", "packages", "experiments", "web", "test"].map(
            (folder) => `${folder}/**/*.soak.ts`,
          ),
          exclude: [...excluded, ...alone],
          maxWorkers: 2, // of three, tests that wait for answers in time failed
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          exclude: excluded,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
