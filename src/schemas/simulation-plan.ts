/**
 * @file A plan to simulate: runs, what each takes, and the clusters that carry them out, with what goes wrong there. Times are seconds.
 *
 *     runs: 400
 *     run: { seconds: { logNormal: { median: 600, spread: 0.5 } }, checkpointSeconds: 120, saveSeconds: 2 }
 *     clusters:
 *       - { engine: slurm, nodes: 16, pack: 4, startSeconds: 3, nodeDeaths: { everySeconds: 864000 } }
 */

import { z } from "zod";

/** Thirty years: a plan of more is a slip of the pen. */
const longest = 1e9;
const seconds = z.number().min(0).max(longest);
const positive = z.number().positive().max(longest);
/** What goes wrong more often than once in a second leaves nothing to simulate. */
const every = z.number().min(1);

/** A number, or what it is drawn from. */
export const Amount = z.union([
  seconds,
  z.strictObject({ exponential: positive }),
  z.strictObject({ uniform: z.tuple([seconds, seconds]) }),
  /** exp(ln median + spread x normal). */
  z.strictObject({ logNormal: z.strictObject({ median: positive, spread: z.number().min(0).max(3) }) }),
  /** One of these, each as likely: what was measured. */
  z.strictObject({ drawn: z.array(seconds).min(1) }),
]);
export type Amount = z.infer<typeof Amount>;

/** What is to happen at a time, to a node of a cluster (or, crash and preemption, to what runs there). */
export const Incident = z.strictObject({
  atSeconds: seconds,
  node: z.int().min(0),
  what: z.enum(["node dies", "daemon dies", "crash", "preemption"]),
});
export type Incident = z.infer<typeof Incident>;

export const ClusterPlan = z.strictObject({
  name: z.string().min(1).optional(),
  engine: z.enum(["slurm", "local"]).default("slurm"),
  nodes: z.int().min(1).max(10_000).default(1),
  slotsPerNode: z.int().min(1).max(100).default(1),
  /** As `--at-most`; all slots by default. */
  atMost: z.int().min(1).optional(),
  pack: z.int().min(1).default(1),
  /** Of a run's seconds that many pass here in one. */
  speed: positive.default(1),
  /** Weight of its part of the runs; slots x speed by default. */
  share: z.number().min(0).optional(),
  /** Jobs that the controller begins in a second. */
  dispatchPerSecond: positive.optional(),
  /** Between the end of a job and the start of the next one on its slot. */
  turnSeconds: Amount.default(0),
  /** From the start of a job until a run begins in it. */
  startSeconds: Amount.default(0),
  /** Until what was begun again may begin. */
  requeueSeconds: Amount.default(0),
  /** Slurm's MaxArraySize. */
  longestArray: z.int().min(1).default(1001),
  /** As `--time`. */
  timeSeconds: positive.optional(),
  /** Processes die, on average after so long. */
  crashes: z.strictObject({ everySeconds: every }).optional(),
  nodeDeaths: z
    .strictObject({
      /** Of one node, on average. */
      everySeconds: every,
      noticedSeconds: seconds.default(300),
      backSeconds: seconds.default(3600),
      /** Share of deaths of the daemon alone: its processes go on, and Slurm begins them again elsewhere. */
      daemonAlone: z.number().min(0).max(1).default(0),
    })
    .optional(),
  preemption: z
    .strictObject({
      /** Of what runs on one slot, on average. */
      everySeconds: every,
      graceSeconds: seconds.default(30),
      takenSeconds: Amount.default(0),
    })
    .optional(),
  /** The controller does not answer, and begins nothing. */
  silences: z.strictObject({ everySeconds: every, seconds: positive }).optional(),
  incidents: z.array(Incident).default([]),
  /** Between two looks of the command that stands by: 30, of local 1. */
  lookSeconds: positive.optional(),
  /** What a look takes for each run, and a submission. */
  lookSecondsPerRun: seconds.default(0),
  submitSecondsPerRun: seconds.default(0),
});
export type ClusterPlan = z.infer<typeof ClusterPlan>;

export const SimulationPlan = z.strictObject({
  runs: z.int().min(1).max(1_000_000),
  run: z.strictObject({
    /** Of work. `each`: of the first, the second, ... and from the start again: as the runs of a sweep stand. */
    seconds: z.union([Amount, z.strictObject({ each: z.array(seconds).min(1) })]),
    /** Of work between two checkpoints; without it nothing is saved before the end, or SIGTERM. */
    checkpointSeconds: positive.optional(),
    saveSeconds: seconds.default(0),
    /** To read a checkpoint. */
    resumeSeconds: seconds.default(0),
    /** Tests and export at the end. */
    endSeconds: seconds.default(0),
    /** Between two lines of the log, before each of which a run looks whether it still holds its lock. */
    lineSeconds: positive.default(1),
    /** Share of runs that fail by themselves, somewhere. */
    fails: z.number().min(0).max(1).default(0),
  }),
  clusters: z.array(ClusterPlan).min(1).max(20),
});
export type SimulationPlan = z.infer<typeof SimulationPlan>;
/** As one writes it: defaults are left out. */
export type WrittenPlan = z.input<typeof SimulationPlan>;
