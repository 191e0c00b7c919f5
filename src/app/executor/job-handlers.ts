/** @file Handlers for kinds of work of src/app; src/cli/cluster/worker.ts adds those of experiments. */

import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { JobHandler } from "../../executors/execute-task.ts";
import { outputsByKind } from "../../executors/job-outputs.ts";
import { pause } from "../../executors/timers.ts";
import { makeFolder, takeLock, writeFileAtomic } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";

export const jobHandlers = {
  run: async () => (await import("../run/execute.ts")).run,
  trace: async () => (await import("../trace/sharded.ts")).trace,
  "llm-eval": async () => (await import("../llm/sharded.ts")).llmEvalHandler,
  "data-worker": async () => (await import("../data-worker/run.ts")).feed,
  probe: async () => probe,
} as const;

export const Seen = z.strictObject({
  host: z.string(),
  /** Milliseconds since 1970, by its clock. */
  at: z.number(),
  statelab: z.string(),
  node: z.string(),
});
export type Seen = z.infer<typeof Seen>;

const probe: JobHandler<"probe"> = {
  saved: async () => 0,
  async carryOut({ folder, work: { seconds } }, _, signal) {
    const { proof, lock: name } = outputsByKind.probe;
    await makeFolder(folder);
    const lock = takeLock(join(folder, name));
    try {
      if (seconds > 0) {
        await pause(seconds * 1000, signal);
        if (signal.aborted) throw new Error("stopped");
      }
      const seen: Seen = {
        ...{ host: hostname(), at: Date.now(), statelab: labVersion(), node: process.version },
      };
      await writeFileAtomic(join(folder, proof), `${JSON.stringify(seen)}\n`, lock);
    } finally {
      lock.release();
    }
  },
};
