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
const every = z.number().min(1).describe("Mean interval");

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
  atSeconds: seconds.describe("Time of the event"),
  node: z.int().min(0).describe("Node, from 0"),
  what: z.enum(["node dies", "daemon dies", "crash", "preemption"]).describe("Event"),
});
export type Failure = z.infer<typeof Failure>;

export const ClusterPlan = z.strictObject({
  name: z.string().min(1).optional().describe("Name of the cluster"),
  engine: z.enum(["slurm", "local"]).default("slurm").describe("Scheduler of the cluster"),
  nodes: z.int().min(1).max(10_000).default(1).describe("Number of nodes"),
  slotsPerNode: z.int().min(1).max(100).default(1).describe("Tasks at the same time on a node"),
  atMost: z.int().min(1).optional().describe("Largest number of parallel tasks, all slots by default"),
  pack: z.int().min(1).default(1).describe("Tasks per job"),
  speed: positive.default(1).describe("Seconds of a run per second"),
  share: z
    .number()
    .min(0)
    .optional()
    .describe("Weight of its part of the runs, slots times speed by default"),
  dispatchPerSecond: positive.optional().describe("Jobs that the scheduler starts per second"),
  turnSeconds: Distribution.default(0).describe(
    "Time between the end of a job and the next start on its slot",
  ),
  startSeconds: Distribution.default(0).describe("Time from the start of a job to the start of its run"),
  requeueSeconds: Distribution.default(0).describe("Delay before a requeued job may start"),
  longestArray: z.int().min(1).default(1001).describe("Slurm's MaxArraySize"),
  timeSeconds: positive.optional().describe("Time limit of a job"),
  crashes: z.strictObject({ everySeconds: every }).optional().describe("Crashes of processes"),
  nodeDeaths: z
    .strictObject({
      everySeconds: every,
      noticedSeconds: seconds.default(300).describe("Time until a node failure is noticed"),
      backSeconds: seconds.default(3600).describe("Time until the node is back"),
      daemonAlone: z
        .number()
        .min(0)
        .max(1)
        .default(0)
        .describe("Share of failures of the daemon alone, whose processes continue"),
    })
    .optional(),
  preemption: z
    .strictObject({
      everySeconds: every.describe("Mean interval per slot"),
      graceSeconds: seconds.default(30).describe("Time between the signal and the kill"),
      takenSeconds: Distribution.default(0).describe("Time that the slot is taken"),
    })
    .optional(),
  silences: z
    .strictObject({ everySeconds: every, seconds: positive.describe("Duration") })
    .optional()
    .describe("Outages of the scheduler, which then starts nothing"),
  failures: z.array(Failure).default([]).describe("Scheduled events"),
  lookSeconds: positive
    .optional()
    .describe("Poll interval of the waiting command, 30 by default, for local 1"),
  lookSecondsPerRun: seconds.default(0).describe("Time of a poll per run"),
  submitSecondsPerRun: seconds.default(0).describe("Time of a submission per run"),
});
export type ClusterPlan = z.infer<typeof ClusterPlan>;

const Plan = z.strictObject({
  runs: z.int().min(1).max(1_000_000).describe("Number of runs"),
  run: z.strictObject({
    seconds: z
      .union([Distribution, z.strictObject({ each: z.array(seconds).min(1) })])
      .describe("Duration of the work, or `each`, a list in the order of the runs"),
    checkpointSeconds: positive
      .optional()
      .describe("Work between two checkpoints, by default only at the end and before a stop"),
    saveSeconds: seconds.default(0).describe("Time to save a checkpoint"),
    resumeSeconds: seconds.default(0).describe("Time to read a checkpoint"),
    endSeconds: seconds.default(0).describe("Time of tests and export at the end"),
    lineSeconds: positive.default(1).describe("Interval of log lines, before which a run checks its lock"),
    fails: z.number().min(0).max(1).default(0).describe("Share of runs that fail at a random time"),
  }),
  clusters: z.array(ClusterPlan).min(1).max(20).describe("Clusters that share the runs"),
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
