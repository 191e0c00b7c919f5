/** @file In-memory submissions, attempts and locks in simulated time, for supervision and task execution. */

import { basename, dirname, join, resolve } from "node:path";
import type { JobHandler } from "../../../src/executors/execute-task.ts";
import type { Submission } from "../../../src/executors/executor.ts";
import type { ToSubmit } from "../../../src/executors/manifest.ts";
import { submissionFiles } from "../../../src/executors/manifest.ts";
import type { SubmissionStore, WorkerEnvironment } from "../../../src/executors/submission-store.ts";
import type { AttemptRecord, ManifestTask, Ticket } from "../../../src/schemas/submission.ts";
import type { Owner } from "../../../src/storage/index.ts";
import type { VirtualClock } from "../clock.ts";
import type { SimulatedProcess } from "../process.ts";
import type { SimulatedRun } from "./training.ts";

interface Kept {
  readonly submission: Submission;
  readonly tasks: readonly ManifestTask[];
  readonly attempts: AttemptRecord[][];
  readonly tickets: Ticket[];
  collected: boolean;
}

export interface Counted {
  submissions: number;
  looks: number;
  begun: number;
  stopped: number;
}

interface SimulatedBooks {
  readonly books: SubmissionStore;
  /** For one process. */
  deskOf(process: SimulatedProcess): WorkerEnvironment;
  /** `work` is that of a run. */
  carrierOf(work: (run: SimulatedRun) => Promise<void>): JobHandler<"run">;
  keepTicket(submission: Submission, ticket: Ticket): void;
  readonly counted: Counted;
  /** Unfinished runs. */
  left(): number;
}

const since = Date.UTC(2026, 0, 1);
/** The last time that a Date can represent. */
const latest = 8.64e15;

/** `pause` advances the time while the supervisor waits. */
export function simulatedStore(
  runs: readonly SimulatedRun[],
  clock: VirtualClock,
  pause: SubmissionStore["pause"],
  onNews: () => void,
): SimulatedBooks {
  const kept: Submission[] = [];
  const of = new Map<string, Kept>();
  const byFolder = new Map(runs.map((run) => [run.folder, run]));
  const at = (submission: Submission) => of.get(submission.folder)!;
  const run = (folder: string) => byFolder.get(folder)!;
  const counted: Counted = { submissions: 0, looks: 0, begun: 0, stopped: 0 };
  const now = () => new Date(Math.min(since + clock.now() * 1000, latest)).toISOString();
  const ended = new Set<string>();
  const none: AttemptRecord[] = [];

  const attemptsOf = (submission: Submission, index: number) => at(submission).attempts[index] ?? none;
  /** At the path of the lock, in the run's folder. */
  const ownerAt = (path: string): Owner | undefined => run(dirname(path)).owner;
  const makeFolder = async () => {};

  return {
    counted,
    left: () => runs.length - ended.size,
    keepTicket: (submission, ticket) => at(submission).tickets.push(ticket),

    books: {
      now,
      pause,
      submissionsOf: () => [...kept],
      readTasks: (folder) => [...of.get(folder)!.tasks],
      ticketsOf: (submission) => at(submission).tickets,
      attemptsOf,
      async writeManifest(home: string, { work, ...about }: ToSubmit) {
        const name = `s${counted.submissions++}`;
        const folder = join(resolve(home), submissionFiles.all, name);
        const header = { version: 1 as const, ...about, tasks: work.length };
        const submission = { folder, name, home: resolve(home), header };
        const tasks = work.map((task, index) => ({ index, ...task }));
        of.set(folder, { submission, tasks, attempts: [], tickets: [], collected: false });
        kept.push(submission);
        return submission;
      },
      makeFolder,
      async writeFileAtomic(path) {
        of.get(dirname(path))!.collected = true;
      },
      existsSync(path) {
        const folder = dirname(path);
        if (basename(path) === submissionFiles.collected) return of.get(folder)!.collected;
        return run(folder).begun; // its configuration
      },
      remember() {},
      ownerAt,
    },

    deskOf: (process) => ({
      now,
      readTask(folder, index) {
        const { submission, tasks } = of.get(folder)!;
        return { submission, task: tasks[index] };
      },
      attemptsOf,
      keepAttempt(submission, index, record) {
        const { attempts, tasks } = at(submission);
        const before = attempts[index];
        if (before === undefined) attempts[index] = [record];
        else before.push(record);
        if (record.kind === "begun") counted.begun++;
        else if (record.kind === "stopped") counted.stopped++;
        else {
          ended.add(tasks[index].folder);
          if (ended.size === runs.length) onNews();
        }
      },
      makeFolder,
      ownerAt,
      hostname: () => process.host,
      process: { env: process.environment, pid: process.pid },
    }),

    carrierOf: (work) => ({
      // Finer than a second: any saved work counts as progress.
      saved: async (folder) => Math.round(run(folder).saved * 1000),
      carryOut: ({ folder }) => work(run(folder)),
    }),
  };
}
