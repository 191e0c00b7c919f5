/**
 * @file A simulated batch system with the rules of Slurm that matter to a submitter:
 *
 *     a submission is a sequence of arrays, each of limited size, of which `atMost` tasks run at once
 *     a job that ends frees its slot; a crashed one is FAILED and removed; one that requeued itself restarts
 *     preemption and node failures restart a job with a higher epoch: SLURM_RESTART_COUNT
 *     SIGTERM before the time limit, SIGKILL at the limit
 *
 * failures.ts schedules the failures.
 */

import type { Executor, QueuedTask, Submission } from "../../src/executors/executor.ts";
import { leadSeconds } from "../../src/executors/slurm.ts";
import type { CallProgram } from "../../src/executors/slurm-queue.ts";
import type { ClusterPlan } from "../../src/schemas/simulation-plan.ts";
import type { Ticket } from "../../src/schemas/submission.ts";
import type { Timer, VirtualClock } from "./clock.ts";
import { type Launch, type SimulatedProcess, simulatedProcess } from "./process.ts";
import { makeSlots, type Slot, type Slots } from "./slots.ts";

export type Delay = "turnSeconds" | "startSeconds" | "requeueSeconds" | "takenSeconds";

export interface Job {
  readonly array: JobArray;
  /** Index in its array. */
  readonly index: number;
  readonly first: number;
  readonly count: number;
  /** Number of restarts. */
  epoch: number;
  begun: number;
  slot: Slot | undefined;
  process: SimulatedProcess | undefined;
  /** Restart after it ends. */
  again: boolean;
  preempted: boolean;
  timers: (Timer | undefined)[];
}

interface JobArray {
  readonly id: number;
  readonly submission: Submission;
  readonly first: number;
  readonly last: number;
  readonly before: JobArray | undefined;
  readonly there: Map<number, QueuedTask>;
  /** The next job that never started, and those to restart. */
  next: number;
  readonly again: Job[];
  running: number;
  left: number;
}

export interface BatchEngine extends Executor {
  readonly slots: Slots;
  /** Running jobs, by slot. */
  readonly running: ReadonlyMap<Slot, Job>;
  readonly mostAtOnce: () => number;
  /** A controller outage: nothing starts and no query is answered until it ends. */
  silence(silent: boolean): void;
  /** SIGTERM, and SIGKILL after a grace period; then the job restarts, and the slot is taken for a while. */
  preempt(job: Job, graceSeconds: number): void;
  /** A process crashes. */
  crash(job: Job): void;
  /** A node fails with all its processes, or only its daemon: nothing starts there any more. */
  die(node: number, daemonAlone: boolean): void;
  /** The failure is detected: the node's jobs restart elsewhere. */
  notice(node: number): void;
  bringBack(node: number): void;
}

export interface BatchOptions {
  readonly clock: VirtualClock;
  readonly plan: ClusterPlan;
  readonly launch: Launch;
  readonly delay: (what: Delay) => number;
  readonly keepTicket: (submission: Submission, ticket: Ticket) => void;
  /** Adds a task that no worker has any more, or room for a refused array. */
  readonly onNews: () => void;
  readonly onStart: (job: Job) => void;
}

export function batchEngine(options: BatchOptions): BatchEngine {
  const { clock, plan, launch, delay, keepTicket, onNews, onStart } = options;
  const slots = makeSlots(plan.nodes, plan.slotsPerNode);
  const atMost = plan.atMost ?? Number.POSITIVE_INFINITY;
  const arrays: JobArray[] = [];
  const running = new Map<Slot, Job>();
  const known = new Map<string, Map<number, QueuedTask>>();
  const dead = new Set<number>();
  let [arraysMade, processes, silent, free, most] = [0, 0, false, 0, 0];

  const pending = (note: string): QueuedTask => ({ kind: "pending", note });
  const mark = ({ array, first, count }: Job, state: QueuedTask | undefined) => {
    for (let task = first; task < first + count; task++)
      if (state === undefined) array.there.delete(task);
      else array.there.set(task, state);
  };

  /** The next job that may start. */
  function nextJob(): Job | undefined {
    for (const array of arrays) {
      if (array.running >= atMost || (array.before?.left ?? 0) > 0) continue;
      const again = array.again.shift();
      if (again !== undefined) return again;
      const first = array.first + array.next * plan.pack;
      if (first > array.last) continue;
      const count = Math.min(plan.pack, array.last + 1 - first);
      const fresh = { epoch: 0, begun: 0, slot: undefined, process: undefined, again: false, timers: [] };
      return { preempted: false, array, index: array.next++, first, count, ...fresh };
    }
    return undefined;
  }

  function dispatch(): void {
    if (silent) return;
    for (;;) {
      const slot = slots.free();
      const job = slot && nextJob();
      if (slot === undefined || job === undefined) return;
      job.array.running++;
      slots.turn(slot, "turning", clock.now());
      running.set(slot, job);
      job.slot = slot;
      most = Math.max(most, running.size);
      // One at a time, as many per second as the controller starts.
      free = Math.max(free, clock.now()) + 1 / (plan.dispatchPerSecond ?? Number.POSITIVE_INFINITY);
      if (free > clock.now()) job.timers = [clock.at(free, () => begin(job, slot))];
      else begin(job, slot);
    }
  }

  function begin(job: Job, slot: Slot): void {
    const { array, index, first, count, epoch } = job;
    slots.turn(slot, "busy", clock.now());
    const node = `n${slot.node + 1}`;
    mark(job, { kind: "running", note: node });
    job.begun = clock.now();
    job.again = false;
    job.preempted = false;
    if (dead.has(slot.node)) return; // nothing starts there, and the failure is not detected yet
    const environment = {
      SLURM_CLUSTER_NAME: "lab",
      SLURM_JOB_ID: `${array.id}${index}`,
      SLURM_ARRAY_JOB_ID: String(array.id),
      SLURM_ARRAY_TASK_ID: String(index),
      SLURM_RESTART_COUNT: String(epoch),
    };
    const { speed } = plan;
    const about = { submission: array.submission, first, count, pid: ++processes, host: node, speed };
    const process = simulatedProcess(clock, { ...about, environment, call: programs(job) });
    job.process = process;
    job.timers = [];
    if (plan.timeSeconds !== undefined) {
      const end = clock.now() + plan.timeSeconds;
      job.timers.push(clock.at(Math.max(clock.now(), end - leadSeconds), () => process.term()));
      job.timers.push(clock.at(end, () => atLimit(job, process)));
    }
    onStart(job);
    clock.stir();
    void process
      .sleep(delay("startSeconds"))
      .then(() => launch(process))
      .then((all) => {
        // A node without its daemon reports no ended jobs.
        if (job.process === process && process.alive() && !dead.has(slot.node)) ended(job, slot, all);
      });
  }

  /** The programs that a job calls: scontrol, on itself. */
  const programs =
    (job: Job): CallProgram =>
    async (_, what) => {
      const said = (stdout: string) => ({ ok: true, stdout, complaint: "" });
      if (what === "requeue") job.again = true;
      const limit = plan.timeSeconds === undefined ? "UNLIMITED" : clockOf(plan.timeSeconds);
      const preempted = job.preempted ? "2026-01-01T00:00:00" : "None";
      const ran = clockOf(clock.now() - job.begun);
      return said(`JobState=RUNNING PreemptTime=${preempted} RunTime=${ran} TimeLimit=${limit}`);
    };

  function atLimit(job: Job, process: SimulatedProcess): void {
    if (job.process !== process || dead.has(job.slot!.node)) return;
    process.kill();
    job.again = false; // TIMEOUT
    ended(job, job.slot!);
  }

  /** The job has ended: restarted, or removed. */
  function ended(job: Job, slot: Slot, all = false): void {
    leave(job);
    running.delete(slot);
    if (dead.has(slot.node)) slots.turn(slot, "down", clock.now());
    else if (job.preempted) hold(slot, "taken", delay("takenSeconds"));
    else hold(slot, "turning", delay("turnSeconds"));
    if (job.again) queueAgain(job);
    else {
      mark(job, undefined);
      job.array.left--;
      if (!all) onNews();
    }
    dispatch();
  }

  function leave(job: Job): void {
    for (const timer of job.timers) clock.drop(timer);
    job.timers = [];
    job.process = undefined;
    job.slot = undefined;
    job.array.running--;
  }

  function queueAgain(job: Job): void {
    mark(job, pending("BeginTime"));
    job.epoch++;
    clock.at(clock.now() + delay("requeueSeconds"), () => {
      job.array.again.push(job);
      dispatch();
    });
  }

  function hold(slot: Slot, state: "turning" | "taken", seconds: number): void {
    const since = clock.now();
    slots.turn(slot, state, since);
    clock.at(since + seconds, () => {
      if (slot.state === state && slot.since === since && !running.has(slot))
        slots.turn(slot, "idle", clock.now());
      dispatch();
    });
  }

  const engine: BatchEngine = {
    name: "slurm",
    outlives: true,
    everySeconds: 30,
    slots,
    running,
    mostAtOnce: () => most,

    async submit(submission) {
      await clock.until(clock.now() + submission.header.tasks * plan.submitSecondsPerRun);
      const there = new Map<number, QueuedTask>();
      known.set(submission.name, there);
      let before: JobArray | undefined;
      for (let first = 0; first < submission.header.tasks; first = before.last + 1) {
        const last = Math.min(submission.header.tasks, first + plan.longestArray * plan.pack) - 1;
        const left = Math.ceil((last + 1 - first) / plan.pack);
        const queue = { next: 0, again: [], running: 0, left };
        const array: JobArray = { id: ++arraysMade, submission, first, last, before, there, ...queue };
        arrays.push(array);
        for (let task = first; task <= last; task++) there.set(task, pending("Priority"));
        const at = String(clock.now());
        keepTicket(submission, { engine: "slurm", job: String(array.id), first, last, pack: plan.pack, at });
        before = array;
      }
      dispatch();
    },

    async poll(submission) {
      return silent ? undefined : known.get(submission.name);
    },

    async cancel() {},

    silence(now) {
      silent = now;
      if (!now) {
        onNews();
        dispatch();
      }
    },

    preempt(job, graceSeconds) {
      const { process, slot } = job;
      if (process === undefined || slot === undefined || process.signal.aborted) return;
      job.again = true;
      job.preempted = true;
      process.term();
      job.timers.push(
        clock.at(clock.now() + graceSeconds, () => {
          if (job.process !== process || dead.has(slot.node)) return;
          process.kill();
          ended(job, slot);
        }),
      );
    },

    crash(job) {
      const { process, slot } = job;
      if (process === undefined || slot === undefined) return;
      process.kill();
      if (dead.has(slot.node)) return;
      job.again = false;
      ended(job, slot);
    },

    die(node, daemonAlone) {
      dead.add(node);
      for (const slot of slots.all) {
        if (slot.node !== node) continue;
        if (!running.has(slot)) slots.turn(slot, "down", clock.now());
        else if (!daemonAlone) running.get(slot)?.process?.kill();
      }
    },

    notice(node) {
      for (const slot of slots.all) {
        if (slot.node !== node) continue;
        const job = running.get(slot);
        if (job !== undefined) {
          job.again = true;
          ended(job, slot);
        } else slots.turn(slot, "down", clock.now());
      }
    },

    bringBack(node) {
      engine.notice(node);
      dead.delete(node);
      for (const slot of slots.all)
        if (slot.node === node && slot.state === "down") slots.turn(slot, "idle", clock.now());
      dispatch();
    },
  };
  return engine;
}

/** 93784 is 1-02:03:04. */
function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const days = Math.floor(whole / 86_400);
  const time = `${two((whole % 86_400) / 3600)}:${two((whole % 3600) / 60)}:${two(whole % 60)}`;
  return days > 0 ? `${days}-${time}` : time;
}
