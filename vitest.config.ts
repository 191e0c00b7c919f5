import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What tests trust (src/app/own-code/trust.ts) is nothing to the user who runs them. */
const state = mkdtempSync(join(tmpdir(), "statelab-state-"));
process.once("exit", () => rmSync(state, { recursive: true, force: true }));

const filesOf = (...folders: string[]) => folders.map((folder) => `${folder}/**/*.test.ts`);

/** Their tests leave nothing behind in their process, so that one process reads the modules once for many files. */
const pure = filesOf("src/analysis", "src/core", "src/schemas", "src/report", "src/tasks");
/** So do these, but ONNX Runtime makes the process round numbers below the normal range to 0, on which filters depend. */
const onnx = [...filesOf("src/models", "src/tensor", "src/train/*"), "src/train/!(examples).test.ts"]; // that one replaces a module
/** And these, but not in the process of either. */
const kept = filesOf(
  ...["src/app", "src/cli", "src/eval", "src/executors", "src/python", "src/serve", "packages"],
  ...["experiments", "test/docs", "web/*"],
);
/** These begin a browser, which trains and asks models: where two others of them run beside it on a slow machine a test takes over a minute. */
const browser = ["web/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    env: { XDG_STATE_HOME: state },
    experimental: { fsModuleCache: true },
    pool: "forks",
    maxWorkers: 3, // many tests wait for processes of their own
    projects: [
      // A process is kept from file to file only where the next is of the same group.
      { extends: true, test: { name: "pure", include: pure, isolate: false, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: "onnx", include: onnx, isolate: false, sequence: { groupOrder: 2 } } },
      { extends: true, test: { name: "kept", include: kept, isolate: false, sequence: { groupOrder: 3 } } },
      {
        extends: true,
        test: { name: "browser", include: browser, testTimeout: 300_000, hookTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src", "packages", "experiments", "bench", "web", "test"].map(
            (folder) => `${folder}/**/*.test.ts`,
          ),
          exclude: [...pure, ...onnx, ...kept, ...browser],
        },
      },
    ],
  },
});
