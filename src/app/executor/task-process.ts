/**
 * @file Runs a task in a child process: used by the local executor and by workers of a Redis.
 *
 * The child runs src/cli/cluster/worker-main.ts, which knows every kind of work, also those of experiments.
 */

import { inChildProcess } from "../../executors/fork.ts";
import type { TaskJob } from "../../executors/local.ts";
import type { Execute } from "../../executors/pool.ts";
import { type Claim, claimVariable } from "../../storage/index.ts";
import type { RunProgress } from "../run/execute.ts";

/** One thread each, as for the runs of any sweep. */
const processWith = (environment: Readonly<Record<string, string>>): Execute<TaskJob, RunProgress, void> =>
  inChildProcess<TaskJob, RunProgress, void>({
    entry: new URL("../../cli/cluster/worker-main.ts", import.meta.url),
    environment: { OMP_NUM_THREADS: "1", ...environment },
  });

export const spawnTask = processWith({});

/** For `lend`: the process takes its locks by this claim. */
export const spawnClaimedTask = (task: TaskJob, claim: Claim, signal: AbortSignal): Promise<void> =>
  processWith({ [claimVariable]: JSON.stringify(claim) })(task, () => {}, signal);
