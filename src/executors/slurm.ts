/**
 * @file Slurm as an engine: a submission is one array of jobs, or several where it is longer than the site allows.
 *
 *     sbatch --parsable --array=0-39%8 --signal=B:TERM@60 --requeue ... job-0.sh          17
 *     17_3 runs        exec statelab worker SUBMISSION --task 3
 *
 * 60 s before the time limit Slurm sends SIGTERM: the task saves and has itself queued again (slurm-task.ts), and only itself.
 * After preemption and the death of a node Slurm does so by itself. What a task is called stays (17_3), and SLURM_RESTART_COUNT
 * counts its starts: they are job and epoch of its locks. `sacct` is not asked (it needs a database), and `squeue`, for all
 * submissions together, once in 30 s at most.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../core/error.ts";
import type { Ticket } from "../schemas/submission.ts";
import { writeFileAtomic } from "../storage/index.ts";
import type { Engine, Queued, Submission } from "./executor.ts";
import { keepRelease, keepTicket, releasesOf, submissionFiles, ticketsOf } from "./manifest.ts";
import {
  type CallProgram,
  callingWith,
  heldAfterLaunch,
  queueFormat,
  readQueue,
  secondsLeft,
} from "./slurm-queue.ts";

export interface SlurmOptions {
  /** Of one submission at the same time. */
  readonly atMost: number;
  /** Tasks that one job of Slurm carries out, one after the other. */
  readonly pack: number;
  /** As Slurm reads it: minutes, hours:minutes:seconds, days-hours. */
  readonly time?: string | undefined;
  readonly partition?: string | undefined;
  /** What calls the lab on a node: Node, its flags, the program. */
  readonly program: readonly string[];
  /** Where the last answer of `squeue` is kept, for all processes of this user. */
  readonly cache: string;
  /** How long an answer of `squeue` holds. */
  readonly everySeconds?: number;
  readonly call?: CallProgram;
}

/** Before the time limit; Slurm may send the signal a minute earlier still. */
export const leadSeconds = 60;

interface Seen {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

export function slurm(options: SlurmOptions): Engine {
  // The whole list of an array's tasks, however long.
  const { cache, everySeconds = 30, call = callingWith({ SLURM_BITSTR_LEN: "0" }) } = options;

  /** undefined where Slurm does not answer. */
  async function queue(): Promise<Seen | undefined> {
    const known = seenIn(cache);
    if (known !== undefined && Date.now() - known.at < everySeconds * 1000) return known;
    const at = Date.now(); // before: what is submitted meanwhile is not in it
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
      let before = ticketsOf(submission).at(-1)?.job;
      for (const [first, last] of uncovered(submission, longest * options.pack)) {
        const script = join(submission.folder, `job-${first}.sh`);
        await writeFileAtomic(script, scriptOf(submission, first, last, options));
        const args = argumentsOf(submission, { first, last, before }, options);
        const { ok, stdout, complaint } = await call("sbatch", ...args, script);
        if (!ok) {
          // As many as the site takes; the others when there is room (`submit` again).
          if (/limit|MaxJobCount|temporarily/i.test(complaint)) return;
          fail("sbatch", "the jobs to be taken", complaint);
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
      const found = new Map<number, Queued>();
      for (const { job, first, last, pack, at } of ticketsOf(submission)) {
        for (let index = first; index <= last; index++) {
          const place = there.get(`${job}_${Math.floor((index - first) / pack)}`);
          if (place !== undefined) found.set(index, place);
          else if (Date.parse(at) >= seen.at) found.set(index, { kind: "pending", note: "just submitted" });
        }
      }
      return found;
    },

    async cancel(submission) {
      const jobs = ticketsOf(submission).map(({ job }) => job);
      if (jobs.length === 0) return;
      const { ok, complaint } = await call("scancel", "--quiet", ...jobs);
      rmSync(cache, { force: true }); // what was seen is not so any more
      if (!ok) fail("scancel", "the jobs to be ended", complaint);
    },
  };
}

/** Each time Slurm drains the node where it failed: a fault of the job's own would drain them all. */
const mostReleases = 3;

/**
 * A job whose launch failed (a node's daemon had died and come back, say) is queued again and held: left alone it would wait for ever.
 * It is let go on a few times; then who asks is told what to do.
 */
async function releaseHeld(
  submission: Submission,
  there: Map<string, Queued>,
  call: CallProgram,
  seenAt: number,
): Promise<void> {
  const jobs = new Set(ticketsOf(submission).map(({ job }) => job));
  for (const [task, { note }] of there) {
    if (!jobs.has(task.replace(/_.*$/, "")) || !heldAfterLaunch(note)) continue;
    const before = releasesOf(submission).filter(({ job }) => job === task);
    if (before.some(({ at }) => Date.parse(at) >= seenAt)) {
      there.set(task, { kind: "pending", note: "its launch failed; let go on" }); // what was seen was before that
      continue;
    }
    const released = before.length < mostReleases && (await call("scontrol", "release", task)).ok;
    if (released) keepRelease(submission, { job: task, at: new Date().toISOString() });
    const hint = `held by Slurm, for its launch failed ${before.length + 1} times: see sinfo -R, then scontrol release ${task}`;
    there.set(task, { kind: "pending", note: released ? "its launch failed; let go on" : hint });
  }
}

function seenIn(path: string): Seen | undefined {
  try {
    const seen = JSON.parse(readFileSync(path, "utf8")) as Partial<Seen>; // looked at in the next line
    return typeof seen.at === "number" && typeof seen.text === "string" ? (seen as Seen) : undefined;
  } catch {
    return undefined; // none yet
  }
}

/** Ranges of tasks, first and last, that no ticket covers, each at most so long. */
function uncovered(submission: Submission, longest: number): [number, number][] {
  const { tasks } = submission.header;
  const tickets = ticketsOf(submission).toSorted((a: Ticket, b: Ticket) => a.first - b.first);
  const ranges: [number, number][] = [];
  let next = 0;
  for (const { first, last } of [...tickets, { first: tasks, last: tasks }]) {
    for (; next < first; next = Math.min(first, next + longest))
      ranges.push([next, Math.min(first, next + longest) - 1]);
    next = last + 1;
  }
  return ranges;
}

/** MaxArraySize is one more than the largest index. Errors: LabError where there is no Slurm. */
async function longestArray(call: CallProgram): Promise<number> {
  const { ok, stdout, complaint } = await call("scontrol", "show", "config");
  if (!ok) fail("--on slurm", "Slurm's programs, and a controller that answers", complaint);
  return Math.max(1, Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(stdout)?.[1] ?? 1));
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** The array before, of the same submission. */
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
    // The limit is one array's: they come one after the other.
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

/** `exec`, so that the signal reaches the lab and not a shell. */
function scriptOf(
  { folder }: Submission,
  first: number,
  last: number,
  { pack, program }: SlurmOptions,
): string {
  const words = [...program, "worker", folder].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
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
 * The end of a job of Slurm that was asked to stop: whether it has itself queued again.
 *
 *     near its time limit     scontrol requeue 17_3      that task alone: the bare 17 would be the whole array
 *     cancelled               no
 *     preempted               no: Slurm does it
 */

/** Slurm may send the signal a minute early; saving takes time, too. */
const slackSeconds = 90;

/**
 * undefined for a process that is no job of Slurm's; else what was done. Called when all is saved. What is done is said before it is:
 * Slurm ends a job that it queues again, and so the process that asked for it, which may come to no word after that.
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
  say("saved before the time limit; it is queued again");
  const asked = await call("scontrol", "requeue", id);
  if (asked.ok) return "requeued";
  say(`Slurm does not queue it again (${asked.complaint}); the command that submitted it submits it again`);
  return "left";
}

export function isAtLimit(shown: string): boolean {
  const left = secondsLeft(shown);
  if (left === undefined || left > leadSeconds + slackSeconds) return false;
  return /\bJobState=RUNNING\b/.test(shown) && /\bPreemptTime=None\b/.test(shown);
}
