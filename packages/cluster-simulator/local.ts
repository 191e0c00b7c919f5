/** @file The local executor in simulated time: the same process queue as src/executors/local.ts, without files and processes. */

import { semaphore } from "../../src/core/semaphore.ts";
import type { Executor, QueuedTask, Submission } from "../../src/executors/executor.ts";
import { runJobs } from "../../src/executors/pool.ts";
import type { ClusterPlan } from "../../src/schemas/simulation-plan.ts";
import type { VirtualClock } from "./clock.ts";
import { type Launch, type SimulatedProcess, simulatedProcess } from "./process.ts";

export interface LocalEngine extends Executor {
  readonly running: ReadonlySet<SimulatedProcess>;
  readonly mostAtOnce: () => number;
  /** Process seconds until now. */
  readonly busy: () => number;
}

interface SimulatedLocalOptions {
  readonly clock: VirtualClock;
  readonly plan: ClusterPlan;
  readonly atMost: number;
  readonly launch: Launch;
  readonly delay: (what: "turnSeconds" | "startSeconds") => number;
  readonly onNews: () => void;
  readonly onStart: (process: SimulatedProcess) => void;
}

export function simulatedLocal(options: SimulatedLocalOptions): LocalEngine {
  const { clock, plan, atMost, launch, delay, onNews, onStart } = options;
  const known = new Map<string, Map<number, QueuedTask>>();
  const running = new Set<SimulatedProcess>();
  const begun = new Map<SimulatedProcess, number>();
  const shared = semaphore(atMost);
  let [pids, most, busy] = [0, 0, 0];

  async function execute(submission: Submission, first: number): Promise<void> {
    const about = { submission, first, count: 1, pid: ++pids, host: "here", speed: plan.speed };
    const call = async () => ({ ok: false, stdout: "", complaint: "there is no scheduler" });
    const process = simulatedProcess(clock, { ...about, environment: {}, call });
    running.add(process);
    begun.set(process, clock.now());
    most = Math.max(most, running.size);
    onStart(process);
    const killed = new Promise<never>((_, reject) => {
      process.onKilled = () => {
        clock.stir();
        reject(new Error("killed"));
      };
    });
    const work = process.sleep(delay("turnSeconds") + delay("startSeconds")).then(() => launch(process));
    const all = await Promise.race([work, killed]).finally(() => {
      running.delete(process);
      busy += clock.now() - begun.get(process)!;
      begun.delete(process);
    });
    if (!all) throw new Error("left");
  }

  return {
    name: "local",
    outlives: false,
    everySeconds: 1,
    running,
    mostAtOnce: () => most,
    busy: () => [...begun.values()].reduce((sum, since) => sum + clock.now() - since, busy),

    async submit(submission) {
      await clock.until(clock.now() + submission.header.tasks * plan.submitSecondsPerRun);
      const left = new Map<number, QueuedTask>();
      known.set(submission.name, left);
      const jobs = Array.from({ length: submission.header.tasks }, (_, index) => index);
      for (const index of jobs) left.set(index, { kind: "pending", note: "waits for its turn" });
      clock.stir();
      void runJobs(jobs, (index) => execute(submission, index), {
        atMost: shared,
        onStart: (index) => left.set(index, { kind: "running", note: "here" }),
        onEnd: (index, { kind }) => {
          left.delete(index);
          if (kind !== "done") onNews();
        },
      });
    },

    async poll(submission) {
      return known.get(submission.name);
    },

    async cancel() {},
  };
}
