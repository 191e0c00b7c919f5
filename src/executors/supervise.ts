/**
 * @file Supervises the jobs of a folder: a reconcile loop that compares results with the executor and submits what is missing. It can
 * be interrupted at any time and resumed by another process or machine.
 *
 *     each run of the plan  -> done? failed? queued? else submitted (again)
 */

import { join, relative, resolve } from "node:path";
import { fail } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import type { AttemptRecord, Ticket, Work } from "../schemas/submission.ts";
import { leaseFromEnvironment, type Owner } from "../storage/index.ts";
import { labVersion } from "../storage/version.ts";
import { deathsInVain, mostDeaths, taskState } from "./attempts.ts";
import type { Executor, QueuedTask, Submission } from "./executor.ts";
import { outputsByKind } from "./job-outputs.ts";
import { openSubmission, readTasks, submissionFiles } from "./manifest.ts";
import { fileStore, type SubmissionStore } from "./submission-store.ts";

/** A job to execute, in its folder. */
export interface Piece {
  readonly folder: string;
  readonly work: Work;
}

export type PieceState =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly words: string }
  | QueuedTask
  /** No worker has it. */
  | { readonly kind: "left" };

export interface Counts {
  readonly done: number;
  readonly running: number;
  readonly pending: number;
  readonly failed: number;
  readonly left: number;
}

export function countStates(states: readonly Pick<PieceState, "kind">[]): Counts {
  const counts = { done: 0, running: 0, pending: 0, failed: 0, left: 0 };
  for (const { kind } of states) counts[kind]++;
  return counts;
}

export interface SuperviseRequest {
  readonly home: string;
  readonly engine: Executor;
  readonly command: readonly string[];
  /** What the jobs are called in messages: runs, shards. */
  readonly unit?: string;
  readonly signal: AbortSignal;
  /** Stop after submitting; returns the states known then. */
  readonly detach?: boolean;
  /** Poll interval. */
  readonly everySeconds: number;
  readonly onLook?: (states: readonly PieceState[]) => void;
  readonly say?: (sentence: string) => void;
  readonly books?: SubmissionStore;
}

/** One state per job, in order: done or failed after a complete run, also others if stopped or detached. */
export async function superviseSubmission(
  pieces: readonly Piece[],
  options: SuperviseRequest,
): Promise<PieceState[]> {
  const { home, engine, command, unit = "runs", signal, detach = false, everySeconds, onLook, say } = options;
  const { books = fileStore } = options;
  const { now, pause, submissionsOf, ticketsOf, writeManifest, makeFolder, remember } = books;
  const looking = lookingAt(pieces, home, engine, books);
  for (;;) {
    const { states, gone, partly } = await looking();
    onLook?.(states);
    if (!signal.aborted) for (const submission of partly) await engine.submit(submission);
    const left = pieces.filter((_, i) => states[i].kind === "left");
    if (left.length > 0 && !signal.aborted) {
      await engine.check?.();
      const submission = await writeManifest(home, {
        ...{ created: now(), statelab: labVersion(), engine: engine.name },
        ...{ command: [...command], gone },
        work: left.map(({ folder, work }) => ({ folder: relative(resolve(home), resolve(folder)), work })),
      });
      for (const folder of [submissionFiles.tasks, submissionFiles.logs])
        await makeFolder(join(submission.folder, folder));
      try {
        await engine.submit(submission);
      } catch (error) {
        if (ticketsOf(submission).length === 0) await collect(submission, books); // no submission covers it
        throw error;
      }
      remember(submission.home);
      say?.(`${left.length} of ${pieces.length} ${unit} submitted to ${engine.name}: ${submission.folder}`);
    }
    const ended = states.every(({ kind }) => kind === "done" || kind === "failed");
    if (ended) for (const submission of submissionsOf(home)) await collect(submission, books);
    if (!ended && !detach) await pause(everySeconds, signal);
    if (signal.aborted && !engine.outlives) {
      for (const submission of submissionsOf(home)) await engine.cancel(submission);
    }
    if (ended || detach || signal.aborted) return states;
  }
}

/**
 * The state of each job, from all submissions of a folder; `gone` collects lock owners that the executor no longer has, `partly`
 * submissions it has not taken completely.
 */
function lookingAt(pieces: readonly Piece[], home: string, engine: Executor, books: SubmissionStore) {
  const { existsSync, submissionsOf, readTasks, ticketsOf, attemptsOf, ownerAt } = books;
  const isCollected = (submission: Submission) => isCollectedIn(books, submission);
  const pathsOf = new Map<string, readonly string[]>();
  /** The unfinished tasks of each submission, and the folders of all that are. */
  const openOf = new Map<string, number[]>();
  const done = new Set<string>();
  const collected = new Set<string>();
  const works = new Map(pieces.map(({ folder, work }) => [resolve(folder), jsonOf(work)]));
  // Retry failures of submissions whose end was reported before this call.
  for (const submission of submissionsOf(home)) if (isCollected(submission)) collected.add(submission.name);

  return async (): Promise<{ states: PieceState[]; gone: string[]; partly: Submission[] }> => {
    const attempts = new Map<string, AttemptRecord[]>();
    const queued = new Map<string, QueuedTask>();
    const failures = new Map<string, string>();
    const jobs = new Set<string>();
    const partly: Submission[] = [];
    let known = true;
    for (const submission of submissionsOf(home)) {
      const { name } = submission;
      const tickets = ticketsOf(submission);
      for (const { job } of tickets) jobs.add(job);
      const taken = tickets.reduce((sum, { first, last }) => sum + last + 1 - first, 0);
      if (engine.outlives && taken < submission.header.tasks && !collected.has(name)) partly.push(submission);
      const fresh = !pathsOf.has(name);
      const tasks = fresh ? readTasks(submission.folder) : [];
      if (fresh) {
        const paths = tasks.map(({ folder }) => resolve(home, folder));
        pathsOf.set(name, paths);
        openOf.set(name, [...paths.keys()]);
        for (const path of paths) done.delete(path); // it is produced again
      }
      const paths = pathsOf.get(name)!;
      const open = openOf.get(name)!;
      // Poll the executor first, then read the logs: a task that has left the executor has written its log completely.
      const there = open.length > 0 ? await engine.poll(submission) : new Map<number, QueuedTask>();
      const still: number[] = [];
      const left: AttemptRecord[][] = [];
      for (const index of open) {
        const tried = attemptsOf(submission, index);
        if (taskState(tried).kind === "done") done.add(paths[index]);
        else {
          still.push(index);
          left.push(tried);
        }
      }
      openOf.set(name, still);
      if (there === undefined) known = false;
      if (still.length > 0 && !collected.has(name)) refuseAnother(submission, tickets, engine);
      const waiting = new Set(partly.includes(submission) ? untaken(paths.length, tickets) : []);
      for (const [i, index] of still.entries()) {
        const [path, tried] = [paths[index], left[i]];
        failures.delete(path);
        if (!collected.has(name) && tried.length > 0)
          attempts.set(path, [...(attempts.get(path) ?? []), ...tried]);
        const state = taskState(tried);
        const place = waiting.has(index) ? notTaken : there?.get(index);
        if (state.kind === "failed") {
          if (!collected.has(name)) failures.set(path, state.words);
        } else if (place !== undefined) {
          queued.set(path, place);
          const asked = works.get(path);
          if (fresh && asked !== undefined && asked !== jsonOf(tasks[index].work)) {
            fail(
              path,
              `the configuration that was submitted to ${engine.name}`,
              "another configuration",
              `Cancel it: statelab cluster cancel ${shellWord(home)}, or choose another --out`,
            );
          }
        }
      }
    }
    const gone: string[] = [];
    const states = pieces.map(({ folder, work }): PieceState => {
      const path = resolve(folder);
      const { proof, lock } = outputsByKind[work.kind];
      // Repeat jobs whose output was removed.
      if (done.has(path) && existsSync(join(path, proof))) return { kind: "done" };
      const failure = failures.get(path);
      if (failure !== undefined) return { kind: "failed", words: failure };
      const place = queued.get(path);
      if (place !== undefined) return place;
      if (!known) return { kind: "pending", note: `${engine.name} does not answer` };
      const deaths = deathsInVain(attempts.get(path) ?? []);
      if (deaths >= mostDeaths)
        return { kind: "failed", words: `its worker died ${deaths} times without progress` };
      const owner = ownerAt(join(path, lock));
      if (owner !== undefined && (workedFor(owner, engine, jobs) || saidGone(owner))) gone.push(owner.nonce);
      return { kind: "left" };
    });
    return { states, gone, partly };
  };
}

const notTaken: QueuedTask = { kind: "pending", note: "not taken yet" };

/** Tasks without a ticket. */
const untaken = (tasks: number, tickets: readonly Ticket[]) =>
  Array.from({ length: tasks }, (_, index) => index).filter(
    (index) => !tickets.some(({ first, last }) => first <= index && index <= last),
  );

/** Another executor may be running it, and only that one knows: do not start it twice. */
function refuseAnother({ home, header }: Submission, tickets: readonly Ticket[], { name }: Executor): void {
  if (header.engine === name || tickets.length === 0) return; // without a ticket its tasks ended with the submitting process
  const hint = `Use --executor ${header.engine}, or cancel it: statelab cluster cancel ${shellWord(home)}`;
  fail(home, `runs that are submitted to ${name} alone`, `some of ${header.engine}`, hint);
}

const jsonOf = (work: Work) => JSON.stringify(work);

/** The user's `--force-unlock`. */
const saidGone = (owner: Owner) => leaseFromEnvironment(process.env).gone(owner);

/** Whether the lock owner was a task of this executor and folder that the executor has just reported as gone. */
function workedFor({ claim }: Owner, engine: Executor, jobs: ReadonlySet<string>): boolean {
  if (claim === undefined || claim.engine !== engine.name) return false;
  // Slurm's tasks have leases such as lab/17_3, with the cluster's name; the ticket is 17.
  const own = claim.job.replace(/^[^/]*\//, "");
  return [...jobs].some(
    (job) => claim.job === job || own === job || [claim.job, own].some((each) => each.startsWith(`${job}_`)),
  );
}

/** Whether its end was reported, or it was cancelled or refused. */
export const isCollected = (submission: Submission) => isCollectedIn(fileStore, submission);

const isCollectedIn = ({ existsSync }: SubmissionStore, { folder }: Submission) =>
  existsSync(join(folder, submissionFiles.collected));

/** Marks a submission as reported or abandoned: the next call retries its failed and unfinished jobs. */
export async function collect(submission: Submission, books: SubmissionStore = fileStore): Promise<void> {
  if (!isCollectedIn(books, submission))
    await books.writeFileAtomic(join(submission.folder, submissionFiles.collected), "");
}

/** `left`: the executor no longer has it; the command that submitted it submits it again. */
export interface SubmissionState extends Counts {
  readonly folder: string;
  readonly engine: string;
  readonly created: string;
  readonly tasks: number;
  /** The failed jobs: folder and last message. */
  readonly failures: readonly { readonly folder: string; readonly words: string }[];
}

/** Progress of a submission. */
export async function stateOfSubmission(path: string, engine: Executor): Promise<SubmissionState> {
  const submission = openSubmission(path);
  const there = await engine.poll(submission);
  const { attemptsOf } = fileStore;
  const failures: { folder: string; words: string }[] = [];
  const states = readTasks(path).map(({ index, folder }): Pick<PieceState, "kind"> => {
    const state = taskState(attemptsOf(submission, index));
    if (state.kind === "failed") failures.push({ folder, words: state.words });
    if (state.kind === "done" || state.kind === "failed") return state;
    return { kind: there === undefined ? "pending" : (there.get(index)?.kind ?? "left") };
  });
  const { created, tasks } = submission.header;
  return { folder: submission.folder, engine: engine.name, created, tasks, ...countStates(states), failures };
}

/** Options of supervision, apart from the jobs themselves. */
export type SuperviseOptions = Pick<
  SuperviseRequest,
  "engine" | "signal" | "detach" | "everySeconds" | "onLook" | "say" | "command"
>;

export const isEnded = ({ kind }: PieceState) => kind === "done" || kind === "failed";

/** The last messages of failed jobs. */
export const listFailures = (states: readonly PieceState[]): string[] =>
  states.flatMap((state) => (state.kind === "failed" ? [state.words] : []));

export interface Share {
  readonly first: number;
  readonly last: number;
  /** `0-199`: name of the shard's folder. */
  readonly name: string;
}

/** Ranges of `size` over 0, 1, ... count - 1. Independent of progress: the same on every call. */
export function sharesOf(count: number, size: number): Share[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => {
    const [first, last] = [i * size, Math.min(count, (i + 1) * size) - 1];
    return { first, last, name: `${first}-${last}` };
  });
}
