/**
 * @file Failures of a simulated batch system: crashes of processes and nodes, preemption, controller outages. Times between failures
 * are exponential (memoryless).
 */

import type { Rng } from "../../src/core/rng.ts";
import type { ClusterPlan, Failure } from "../../src/schemas/simulation-plan.ts";
import type { BatchEngine, Job } from "./batch.ts";
import type { VirtualClock } from "./clock.ts";

/** Exponential, by inverse transform sampling. */
export const waiting = (rng: Rng, mean: number) => -mean * Math.log(1 - rng.next());

/** Schedules all spontaneous failures; returns a function to call when a job starts. */
export function sampleFailure(
  engine: () => BatchEngine,
  clock: VirtualClock,
  plan: ClusterPlan,
  rng: Rng,
): (job: Job) => void {
  const { crashes, preemption, nodeDeaths, silences, failures } = plan;
  const after = (seconds: number, act: () => void) => clock.at(clock.now() + seconds, act);

  for (const [i, incident] of failures.entries())
    clock.at(incident.atSeconds, () => happen(engine(), clock, plan, incident, rng.fork(`incident ${i}`)));

  if (nodeDeaths !== undefined) {
    const { everySeconds, noticedSeconds, backSeconds, daemonAlone } = nodeDeaths;
    for (let node = 0; node < plan.nodes; node++) {
      const own = rng.fork(`node ${node}`);
      const next = () =>
        after(waiting(own, everySeconds), () => {
          dies(engine(), clock, node, { noticedSeconds, backSeconds, alone: own.next() < daemonAlone });
          after(backSeconds, next);
        });
      next();
    }
  }

  if (silences !== undefined) {
    const own = rng.fork("silences");
    const next = () =>
      after(waiting(own, silences.everySeconds), () => {
        engine().silence(true);
        after(silences.seconds, () => {
          engine().silence(false);
          next();
        });
      });
    next();
  }

  const [ofCrashes, ofPreemption] = [rng.fork("crashes"), rng.fork("preemption")];
  return (job) => {
    if (crashes !== undefined)
      job.timers.push(after(waiting(ofCrashes, crashes.everySeconds), () => engine().crash(job)));
    if (preemption !== undefined)
      job.timers.push(
        after(waiting(ofPreemption, preemption.everySeconds), () =>
          engine().preempt(job, preemption.graceSeconds),
        ),
      );
  };
}

interface Death {
  readonly noticedSeconds: number;
  readonly backSeconds: number;
  readonly alone: boolean;
}

function dies(engine: BatchEngine, clock: VirtualClock, node: number, how: Death): void {
  const { noticedSeconds, backSeconds, alone } = how;
  engine.die(node, alone);
  if (noticedSeconds < backSeconds) clock.at(clock.now() + noticedSeconds, () => engine.notice(node));
  clock.at(clock.now() + backSeconds, () => engine.bringBack(node));
}

const usual = { noticedSeconds: 300, backSeconds: 3600 };

function happen(
  engine: BatchEngine,
  clock: VirtualClock,
  { nodeDeaths, preemption, nodes }: ClusterPlan,
  { what, node }: Failure,
  rng: Rng,
): void {
  const there = [...engine.running].filter(([slot]) => slot.node === node % nodes);
  const job = there.length === 0 ? undefined : there[rng.below(there.length)][1];
  switch (what) {
    case "node dies":
    case "daemon dies":
      dies(engine, clock, node % nodes, { ...usual, ...nodeDeaths, alone: what === "daemon dies" });
      return;
    case "crash":
      if (job !== undefined) engine.crash(job);
      return;
    case "preemption":
      if (job !== undefined) engine.preempt(job, preemption?.graceSeconds ?? 30);
      return;
    default:
      what satisfies never;
  }
}
