/**
 * @file A plan to simulate: runs with their durations, and clusters that execute them, with their failures. Times are in seconds.
 *
 *     runs: 400
 *     run: { seconds: { logNormal: { median: 600, spread: 0.5 } }, checkpointSeconds: 120, saveSeconds: 2 }
 *     clusters:
 *       - { engine: slurm, nodes: 16, pack: 4, startSeconds: 3, nodeDeaths: { everySeconds: 864000 } }
 */

import { z } from "zod";

/** Thirty years: a longer plan is a typing error. */
const longest = 1e9;
const seconds = z.number().min(0).max(longest);
const positive = z.number().positive().max(longest);
/** Failures more often than once a second leave nothing to simulate. */
const every = z.number().min(1);

/** A number, or a distribution. */
export const Distribution = z.union([
  seconds,
  z.strictObject({ exponential: positive }),
  z.strictObject({ uniform: z.tuple([seconds, seconds]) }),
  /** exp(ln median + spread x normal). */
  z.strictObject({ logNormal: z.strictObject({ median: positive, spread: z.number().min(0).max(3) }) }),
  /** One of these measured values, all equally likely. */
  z.strictObject({ drawn: z.array(seconds).min(1) }),
]);
export type Distribution = z.infer<typeof Distribution>;

/** A scheduled event on a node of a cluster (crash and preemption: of a process there). */
export const Failure = z.strictObject({
  atSeconds: seconds,
  node: z.int().min(0),
  what: z.enum(["node dies", "daemon dies", "crash", "preemption"]),
});
export type Failure = z.infer<typeof Failure>;

export const ClusterPlan = z.strictObject({
  name: z.string().min(1).optional(),
  engine: z.enum(["slurm", "local"]).default("slurm"),
  nodes: z.int().min(1).max(10_000).default(1),
  slotsPerNode: z.int().min(1).max(100).default(1),
  /** Like `--max-workers`; all slots by default. */
  atMost: z.int().min(1).optional(),
  pack: z.int().min(1).default(1),
  /** Relative speed: seconds of a run per second. */
  speed: positive.default(1),
  /** Weight of its part of the runs; slots x speed by default. */
  share: z.number().min(0).optional(),
  /** Jobs that the controller starts per second. */
  dispatchPerSecond: positive.optional(),
  /** Between the end of a job and the start of the next one on its slot. */
  turnSeconds: Distribution.default(0),
  /** From the start of a job until its run starts. */
  startSeconds: Distribution.default(0),
  /** Delay before a requeued job may start. */
  requeueSeconds: Distribution.default(0),
  /** Slurm's MaxArraySize. */
  longestArray: z.int().min(1).default(1001),
  /** Like `--time`. */
  timeSeconds: positive.optional(),
  /** Crashes of processes, with this mean interval. */
  crashes: z.strictObject({ everySeconds: every }).optional(),
  nodeDeaths: z
    .strictObject({
      /** Mean interval per node. */
      everySeconds: every,
      noticedSeconds: seconds.default(300),
      backSeconds: seconds.default(3600),
      /** Share of deaths of the daemon alone: its processes continue, and Slurm restarts them elsewhere. */
      daemonAlone: z.number().min(0).max(1).default(0),
    })
    .optional(),
  preemption: z
    .strictObject({
      /** Mean interval per slot. */
      everySeconds: every,
      graceSeconds: seconds.default(30),
      takenSeconds: Distribution.default(0),
    })
    .optional(),
  /** Outages of the controller, during which it starts nothing. */
  silences: z.strictObject({ everySeconds: every, seconds: positive }).optional(),
  failures: z.array(Failure).default([]),
  /** Poll interval of the waiting command: 30, for local 1. */
  lookSeconds: positive.optional(),
  /** Duration of a poll per run, and of a submission. */
  lookSecondsPerRun: seconds.default(0),
  submitSecondsPerRun: seconds.default(0),
});
export type ClusterPlan = z.infer<typeof ClusterPlan>;

const Plan = z.strictObject({
  runs: z.int().min(1).max(1_000_000),
  run: z.strictObject({
    /** Duration of the work. `each`: cyclic list, in the order of the runs of a sweep. */
    seconds: z.union([Distribution, z.strictObject({ each: z.array(seconds).min(1) })]),
    /** Work between two checkpoints; without it, only the end and SIGTERM save. */
    checkpointSeconds: positive.optional(),
    saveSeconds: seconds.default(0),
    /** To read a checkpoint. */
    resumeSeconds: seconds.default(0),
    /** Tests and export at the end. */
    endSeconds: seconds.default(0),
    /** Interval of log lines; before each one a run checks its lock. */
    lineSeconds: positive.default(1),
    /** Share of runs that fail on their own at a random time. */
    fails: z.number().min(0).max(1).default(0),
  }),
  clusters: z.array(ClusterPlan).min(1).max(20),
});

export const SimulationPlan = Plan.meta({ renamed: { "clusters.incidents": "clusters.failures" } });
export type SimulationPlan = z.infer<typeof SimulationPlan>;
/** Input form: without defaults. */
export type WrittenPlan = z.input<typeof SimulationPlan>;

/** Seconds of the slots of a cluster, by what they did. */
export type SlotState = "idle" | "turning" | "busy" | "taken" | "down";

/** Seconds of the processes of a cluster. */
export interface Spent {
  readonly starting: number;
  /** Work that was saved, and the final phase. */
  readonly working: number;
  readonly saving: number;
  /** Evaluation and export. */
  readonly ending: number;
  /** Computed or partly saved, and never used. */
  readonly lost: number;
}

export interface ClusterResult {
  readonly name: string;
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
  /** Until the last run has finished or failed. */
  readonly makespanSeconds: number;
  /** Until the supervising command has seen it. */
  readonly toldSeconds: number;
  /** Share of the available slot time, until the makespan, spent on work that was kept. */
  readonly used: number;
  /** Usable slots. */
  readonly slots: number;
  /** All slots of the cluster. */
  readonly slotSeconds: Readonly<Record<SlotState, number>>;
  /** Process seconds. */
  readonly processSeconds: Spent;
  readonly processes: number;
  readonly attempts: number;
  readonly stopped: number;
  readonly superseded: number;
  readonly submissions: number;
  readonly looks: number;
  readonly mostAtOnce: number;
}

export interface PlanResult {
  readonly seed: number;
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
  /** Of the cluster that ends last. */
  readonly makespanSeconds: number;
  /** Share of the available slot time, until then, spent on work that was kept. */
  readonly used: number;
  readonly lostSeconds: number;
  readonly attempts: number;
  readonly clusters: readonly ClusterResult[];
}

export interface StudyRequest {
  /** A plan file, or a folder with submissions from which a plan is measured. */
  readonly file: string;
  /** As given by --set and --grid. */
  readonly settings: readonly string[];
  readonly over: readonly string[];
  readonly seeds: number;
  readonly firstSeed: number;
}

/** One setting of a study. */
export interface StudiedSetting {
  /** "" if nothing is varied. */
  readonly name: string;
  readonly changes: Readonly<Record<string, unknown>>;
  /** By seed. */
  readonly results: readonly PlanResult[];
}
