import { defineConfig } from "vitest/config";

const filesOf = (...rooms: string[]) => rooms.map((room) => `src/${room}/**/*.test.ts`);

/** Their tests leave nothing behind in their process, so that one process reads the modules once for many files. */
const pure = filesOf("analysis", "math", "records", "report", "tasks");
/** So do these, but ONNX Runtime makes the process take numbers below the normal range for 0, which filters count on. */
const onnx = [...filesOf("models", "tensor", "train/*"), "src/train/!(examples).test.ts"]; // that one replaces a module

export default defineConfig({
  test: {
    testTimeout: 60_000,
    pool: "forks",
    maxWorkers: 3, // many tests wait for processes of their own
    projects: [
      // A process is kept from file to file only where the next is of the same group.
      { extends: true, test: { name: "pure", include: pure, isolate: false, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: "onnx", include: onnx, isolate: false, sequence: { groupOrder: 2 } } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src/**/*.test.ts", "experiments/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: [...pure, ...onnx],
        },
      },
    ],
  },
});
