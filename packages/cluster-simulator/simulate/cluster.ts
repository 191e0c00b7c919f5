/**
 * @file Runs on one simulated cluster, executed by production code: `standBy` submits, polls and resubmits; `carryOutTask` takes locks
 * and logs start and end; Slurm jobs call `requeueAtLimit`. Only I/O, executor and clock are simulated.
 */

import { fail } from "../../../src/core/error.ts";
import type { Rng } from "../../../src/core/rng.ts";
import { executeTask, type JobHandlers } from "../../../src/executors/execute-task.ts";
import type { Executor } from "../../../src/executors/executor.ts";
import { requeueAtLimit } from "../../../src/executors/slurm.ts";
import { countStates, superviseSubmission } from "../../../src/executors/supervise.ts";
import { RunConfig } from "../../../src/schemas/run-config.ts";
import type {
  ClusterPlan,
  ClusterResult,
  Distribution,
  SimulationPlan,
} from "../../../src/schemas/simulation-plan.ts";
import type { Owner } from "../../../src/storage/index.ts";
import { type BatchEngine, batchEngine } from "../batch.ts";
import { virtualClock } from "../clock.ts";
import { sampleFailure, waiting } from "../failures.ts";
import { type LocalEngine, simulatedLocal } from "../local.ts";
import type { SimulatedProcess } from "../process.ts";
import { simulatedStore } from "./submission-store.ts";
import { type SimulatedRun, type Spending, trainSimulated } from "./training.ts";

export interface SimulateOptions {
  readonly signal: AbortSignal;
  /** Poll at every interval, also if nothing can have changed. Slower, with the same result. */
  readonly everyLook?: boolean;
}

/** Virtual path of the runs' folders. */
export const home = "/simulated";
const config = RunConfig.parse({
  task: { name: "parity", length: 1 },
  model: { name: "deltanet" },
  train: { steps: 1 },
});
const usualLook = { slurm: 30, local: 1 } as const;
/** With more restarts than this on average, the simulation is aborted. */
const mostProcesses = 100;

export async function simulateCluster(
  { run: about }: Pick<SimulationPlan, "run">,
  cluster: ClusterPlan,
  runs: SimulatedRun[],
  rng: Rng,
  { signal, everyLook = false }: SimulateOptions,
): Promise<ClusterResult> {
  const clock = virtualClock();
  const spent: Spending = { starting: 0, working: 0, saving: 0, ending: 0, lost: 0 };
  const byPid = new Map<number, SimulatedProcess>();
  const lives = ({ pid }: Owner) => byPid.get(pid)?.alive() === true;
  let [superseded, processes, news] = [0, 0, false];
  let last: ReturnType<typeof atEnd> | undefined;
  const onNews = () => {
    news = true;
  };
  const everySeconds = cluster.lookSeconds ?? usualLook[cluster.engine];

  /** Until the next poll; polls that cannot change anything are skipped. */
  async function pause(): Promise<void> {
    simulated.counted.looks++;
    const period = everySeconds + runs.length * cluster.lookSecondsPerRun;
    const from = clock.now();
    let next = from + period;
    if (!everyLook) {
      const more = await clock.until(Number.POSITIVE_INFINITY, () => news || ended());
      if (!more) throw new Error("nothing is left to happen, and runs are left");
      next = from + Math.max(1, Math.ceil((clock.now() - from) / period)) * period;
    }
    await clock.until(next, ended);
    news = false;
  }

  function ended(): boolean {
    if (signal.aborted) return true;
    if (processes > mostProcesses * runs.length)
      fail(
        "the plan",
        "runs that finish",
        `${processes} processes for ${runs.length} runs`,
        "Runs make no progress: set checkpointSeconds, or a longer timeSeconds",
      );
    return false;
  }

  const simulated = simulatedStore(runs, clock, pause, () => {
    last = atEnd();
    news = true;
  });

  /** How the time was spent until now. */
  function atEnd() {
    const makespanSeconds = clock.now();
    const slotSeconds =
      batch?.slots.spent(makespanSeconds) ?? busyAndIdle(local?.busy() ?? 0, slots * makespanSeconds);
    // Sums of many differences: anything below a microsecond is rounding.
    const processSeconds = { ...spent };
    for (const part of Object.keys(spent) as (keyof Spending)[])
      processSeconds[part] = Math.round(spent[part] * 1e6) / 1e6;
    return { makespanSeconds, slotSeconds, processSeconds };
  }

  async function launch(process: SimulatedProcess): Promise<boolean> {
    spent.starting += clock.now() - process.since;
    process.onDeath = undefined;
    const desk = simulated.deskOf(process);
    const run = simulated.carrierOf((each) => trainSimulated(each, process, { clock, about, spent, lives }));
    const handlers = { run: async () => run } as JobHandlers; // no other work is simulated
    const { submission, first, count } = process;
    let ends = 0;
    for (let task = first; task < first + count && !process.signal.aborted; task++) {
      const { end } = await executeTask(submission.folder, task, handlers, () => {}, process.signal, desk);
      if (end === "superseded") superseded++;
      if (end === "done" || end === "failed") ends++;
    }
    if (process.signal.aborted) await requeueAtLimit(process.environment, () => {}, process.call);
    byPid.delete(process.pid);
    return ends === count;
  }

  function onStart(process: SimulatedProcess): void {
    processes++;
    byPid.set(process.pid, process);
    process.onDeath = () => {
      spent.starting += clock.now() - process.since;
    };
  }

  const delays = rng.fork("delays");
  const delay = (what: "turnSeconds" | "startSeconds" | "requeueSeconds") =>
    sampleTimes(cluster[what], delays);
  const allSlots = cluster.nodes * cluster.slotsPerNode;
  const slots = Math.min(cluster.atMost ?? allSlots, allSlots);
  let batch: BatchEngine | undefined;
  let local: LocalEngine | undefined;
  if (cluster.engine === "slurm") {
    const trouble = sampleFailure(() => batch!, clock, cluster, rng.fork("trouble"));
    batch = batchEngine({
      ...{ clock, plan: cluster, launch, onNews, keepTicket: simulated.keepTicket },
      delay: (what) =>
        what === "takenSeconds" ? sampleTimes(cluster.preemption?.takenSeconds ?? 0, delays) : delay(what),
      onStart(job) {
        onStart(job.process!);
        trouble(job);
      },
    });
  } else {
    const deaths = rng.fork("crashes");
    local = simulatedLocal({
      ...{ clock, plan: cluster, atMost: slots, launch, delay, onNews },
      onStart(process) {
        onStart(process);
        const { crashes } = cluster;
        if (crashes !== undefined)
          clock.at(clock.now() + waiting(deaths, crashes.everySeconds), () => process.kill());
      },
    });
  }
  const pieces = runs.map(({ folder }) => ({ folder, work: { kind: "run" as const, config } }));
  const engine: Executor = batch ?? local!;
  const states = await superviseSubmission(pieces, {
    ...{ home, engine, command: ["statelab", "simulate"], signal, everySeconds, books: simulated.books },
  });
  signal.throwIfAborted();
  // A run that crash-loops has no other end.
  last ??= atEnd();
  const { begun: attempts, stopped, submissions, looks } = simulated.counted;
  return {
    name: cluster.name ?? cluster.engine,
    runs: runs.length,
    ...countStates(states),
    ...last,
    toldSeconds: clock.now(),
    used: last.processSeconds.working / (slots * last.makespanSeconds),
    ...{ slots, processes, attempts, stopped, superseded, submissions, looks },
    mostAtOnce: (batch ?? local!).mostAtOnce(),
  };
}

/** Processes on this machine, which never queue. */
const busyAndIdle = (busy: number, all: number) => ({
  ...{ idle: all - busy, busy },
  ...{ turning: 0, taken: 0, down: 0 },
});

export function sampleTimes(amount: Distribution, rng: Rng): number {
  if (typeof amount === "number") return amount;
  if ("exponential" in amount) return -amount.exponential * Math.log(1 - rng.next());
  if ("uniform" in amount) return amount.uniform[0] + rng.next() * (amount.uniform[1] - amount.uniform[0]);
  if ("logNormal" in amount)
    return amount.logNormal.median * Math.exp(amount.logNormal.spread * rng.normal());
  return amount.drawn[rng.below(amount.drawn.length)];
}
