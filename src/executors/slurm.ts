/**
 * @file The Slurm executor: a submission is one job array, or several if it exceeds the site's limit.
 *
 *     sbatch --parsable --array=0-39%8 --signal=B:TERM@60 --requeue ... job-0.sh          17
 *     17_3 runs        exec statelab cluster worker SUBMISSION --task 3
 *
 * 60 s before the time limit Slurm sends SIGTERM: the task saves and requeues itself, and only itself. After preemption and node
 * failures Slurm requeues it. A task's id stays the same (17_3), and SLURM_RESTART_COUNT counts its starts: they are job and epoch of
 * its locks. `sacct` is not used (it needs a database), and `squeue` runs at most every 30 s for all submissions together.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../core/error.ts";
import type { Ticket } from "../schemas/submission.ts";
import { writeFileAtomic } from "../storage/index.ts";
import type { Executor, QueuedTask, Submission } from "./executor.ts";
import { keepRelease, keepTicket, readReleases, readTickets, submissionFiles } from "./manifest.ts";
import {
  type CallProgram,
  callingWith,
  isHeldByScheduler,
  queueFormat,
  readQueue,
  secondsLeft,
} from "./slurm-queue.ts";

export interface SlurmOptions {
  /** Maximum number of concurrent tasks of one submission. */
  readonly atMost: number;
  /** Tasks per Slurm job, executed in sequence. */
  readonly pack: number;
  /** In Slurm's format: minutes, hours:minutes:seconds, days-hours. */
  readonly time?: string | undefined;
  readonly partition?: string | undefined;
  /** The command line of the package on a node: Node, its flags, the program. */
  readonly program: readonly string[];
  /** Cache file for the last `squeue` output, shared by all processes of this user. */
  readonly cache: string;
  /** Lifetime of the cached output. */
  readonly everySeconds?: number;
  readonly call?: CallProgram;
}

/** Before the time limit; Slurm may send the signal up to a minute earlier. */
export const leadSeconds = 60;

interface Seen {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

export function slurm(options: SlurmOptions): Executor {
  // Print task lists of any length.
  const { cache, everySeconds = 30, call = callingWith({ SLURM_BITSTR_LEN: "0" }) } = options;

  /** undefined if Slurm does not answer. */
  async function queue(): Promise<Seen | undefined> {
    const known = seenIn(cache);
    if (known !== undefined && Date.now() - known.at < everySeconds * 1000) return known;
    const at = Date.now(); // the time before the query: later submissions are not in it
    const { ok, stdout } = await call(
      "squeue",
      ...["--noheader", "--states=all", "--me", `--format=${queueFormat}`],
    );
    if (!ok) return undefined;
    const seen = { at, text: stdout };
    await writeFileAtomic(cache, JSON.stringify(seen));
    return seen;
  }

  return {
    name: "slurm",
    outlives: true,
    everySeconds,

    async submit(submission) {
      const longest = await longestArray(call);
      let before = readTickets(submission).at(-1)?.job;
      for (const [first, last] of uncovered(submission, longest * options.pack)) {
        const script = join(submission.folder, `job-${first}.sh`);
        await writeFileAtomic(script, scriptOf(submission, first, last, options));
        const args = argumentsOf(submission, { first, last, before }, options);
        const { ok, stdout, complaint } = await call("sbatch", ...args, script);
        if (!ok) {
          // Submit as many arrays as the site accepts; the rest when there is room (`submit` again).
          if (/limit|MaxJobCount|temporarily/i.test(complaint)) return;
          fail("sbatch", "Slurm to accept the jobs", complaint);
        }
        const [job] = stdout.trim().split(";"); // with several clusters: 17;lab
        const { pack } = options;
        keepTicket(submission, { engine: "slurm", job, first, last, pack, at: new Date().toISOString() });
        before = job;
      }
    },

    async poll(submission) {
      const seen = await queue();
      if (seen === undefined) return undefined;
      const there = readQueue(seen.text);
      await releaseHeld(submission, there, call, seen.at);
      const found = new Map<number, QueuedTask>();
      for (const { job, first, last, pack, at } of readTickets(submission)) {
        for (let index = first; index <= last; index++) {
          const place = there.get(`${job}_${Math.floor((index - first) / pack)}`);
          if (place !== undefined) found.set(index, place);
          else if (Date.parse(at) >= seen.at) found.set(index, { kind: "pending", note: "just submitted" });
        }
      }
      return found;
    },

    async cancel(submission) {
      const jobs = readTickets(submission).map(({ job }) => job);
      if (jobs.length === 0) return;
      const { ok, complaint } = await call("scancel", "--quiet", ...jobs);
      rmSync(cache, { force: true }); // invalidate the cache
      if (!ok) fail("scancel", "Slurm to cancel the jobs", complaint);
    },
  };
}

/** Each requeue makes Slurm drain the node where the launch failed: a faulty job would drain all nodes. */
const mostReleases = 3;

/**
 * A job whose launch failed (after a node failure, for example) is requeued and held by Slurm: without help it would wait forever. It
 * is released a few times, then the user gets an error with instructions.
 */
async function releaseHeld(
  submission: Submission,
  there: Map<string, QueuedTask>,
  call: CallProgram,
  seenAt: number,
): Promise<void> {
  const jobs = new Set(readTickets(submission).map(({ job }) => job));
  for (const [task, { note }] of there) {
    if (!jobs.has(task.replace(/_.*$/, "")) || !isHeldByScheduler(note)) continue;
    const before = readReleases(submission).filter(({ job }) => job === task);
    if (before.some(({ at }) => Date.parse(at) >= seenAt)) {
      there.set(task, { kind: "pending", note: "its launch failed; released" }); // cached before the last release
      continue;
    }
    const released = before.length < mostReleases && (await call("scontrol", "release", task)).ok;
    if (released) keepRelease(submission, { job: task, at: new Date().toISOString() });
    const hint = `held by Slurm, because its launch failed ${before.length + 1} times: see sinfo -R, then scontrol release ${task}`;
    there.set(task, { kind: "pending", note: released ? "its launch failed; released" : hint });
  }
}

function seenIn(path: string): Seen | undefined {
  try {
    const seen = JSON.parse(readFileSync(path, "utf8")) as Partial<Seen>; // checked in the next line
    return typeof seen.at === "number" && typeof seen.text === "string" ? (seen as Seen) : undefined;
  } catch {
    return undefined; // none yet
  }
}

/** Ranges of tasks, first and last, that no ticket covers, each up to a maximum length. */
function uncovered(submission: Submission, longest: number): [number, number][] {
  const { tasks } = submission.header;
  const tickets = readTickets(submission).toSorted((a: Ticket, b: Ticket) => a.first - b.first);
  const ranges: [number, number][] = [];
  let next = 0;
  for (const { first, last } of [...tickets, { first: tasks, last: tasks }]) {
    for (; next < first; next = Math.min(first, next + longest))
      ranges.push([next, Math.min(first, next + longest) - 1]);
    next = last + 1;
  }
  return ranges;
}

/** MaxArraySize is one more than the largest index. Errors: LabError if Slurm is not installed. */
async function longestArray(call: CallProgram): Promise<number> {
  const { ok, stdout, complaint } = await call("scontrol", "show", "config");
  if (!ok) fail("--executor slurm", "Slurm's programs, and a controller that answers", complaint);
  return Math.max(1, Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(stdout)?.[1] ?? 1));
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** The previous array of the same submission. */
  readonly before: string | undefined;
}

function argumentsOf(
  { folder, name, home }: Submission,
  { first, last, before }: Range,
  { atMost, pack, time, partition }: SlurmOptions,
): string[] {
  const jobs = Math.ceil((last - first + 1) / pack);
  return [
    "--parsable",
    `--array=0-${jobs - 1}%${atMost}`,
    // The limit applies per array, so arrays run in sequence.
    ...(before === undefined ? [] : [`--dependency=afterany:${before}`]),
    `--job-name=statelab-${name}`,
    `--chdir=${home}`,
    `--output=${join(folder, submissionFiles.logs, "%A_%a.log")}`,
    ...["--open-mode=append", "--requeue", `--signal=B:TERM@${leadSeconds}`],
    ...["--ntasks=1", "--cpus-per-task=1"],
    ...(time === undefined ? [] : [`--time=${time}`]),
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
  ];
}

/** `exec`, so that the signal reaches the program and not a shell. */
function scriptOf(
  { folder }: Submission,
  first: number,
  last: number,
  { pack, program }: SlurmOptions,
): string {
  const words = [...program, "cluster", "worker", folder]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  return [
    "#!/bin/sh",
    `task=$((${first} + SLURM_ARRAY_TASK_ID * ${pack}))`,
    `tasks=$((${last} + 1 - task))`,
    `if [ "$tasks" -gt ${pack} ]; then tasks=${pack}; fi`,
    "export OMP_NUM_THREADS=1",
    `exec ${words} --task "$task" --tasks "$tasks"`,
    "",
  ].join("\n");
}

/*
 * Requeueing of a Slurm job that was asked to stop.
 *
 *     near its time limit     scontrol requeue 17_3      that task alone: the bare 17 would be the whole array
 *     cancelled               no
 *     preempted               no: Slurm does it
 */

/** Slurm may send the signal a minute early, and saving takes time. */
const slackSeconds = 90;

/**
 * Returns undefined outside of Slurm, else what was done. Call after saving. Messages are printed before requeueing, because Slurm
 * kills a requeued job at once.
 */
export async function requeueAtLimit(
  environment: Readonly<Record<string, string | undefined>>,
  say: (words: string) => void,
  call: CallProgram = callingWith({}),
): Promise<"requeued" | "left" | undefined> {
  const { SLURM_JOB_ID: job, SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = environment;
  if (job === undefined) return undefined;
  const id = array === undefined ? job : `${array}_${task}`;
  const { ok, stdout } = await call("scontrol", "show", "job", "-o", id);
  if (!ok || !isAtLimit(stdout)) return "left";
  say("saved before the time limit; requeued");
  const asked = await call("scontrol", "requeue", id);
  if (asked.ok) return "requeued";
  say(`Slurm refused to requeue it (${asked.complaint}); run the submitting command again`);
  return "left";
}

export function isAtLimit(shown: string): boolean {
  const left = secondsLeft(shown);
  if (left === undefined || left > leadSeconds + slackSeconds) return false;
  return /\bJobState=RUNNING\b/.test(shown) && /\bPreemptTime=None\b/.test(shown);
}
