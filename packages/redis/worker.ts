/**
 * @file A Redis worker: executes a bounded number of tasks at a time, each with a lease that is renewed here while a child process does
 * the work.
 *
 *     lease taken     attempt n starts as epoch n
 *     renewed         every third of the lease, by a process that does nothing else
 *     lost            (this machine was frozen, or cut off) the task is reassigned or soon will be: the work is stopped. The locks
 *                     refuse its further writes, since the new attempt has a later epoch
 *     Redis silent    state unknown: the work continues, and the lease is checked when Redis is back
 */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Job, Worker } from "bullmq";
import { errorText } from "../../src/core/error.ts";
import {
  deathsInVain,
  keepAttempt,
  mostDeaths,
  readAttempts,
  taskState,
} from "../../src/executors/attempts.ts";
import type { Submission } from "../../src/executors/executor.ts";
import type { TaskJob } from "../../src/executors/local.ts";
import type { WorkerOptions } from "../../src/executors/packages.ts";
import { pause, within } from "../../src/executors/timers.ts";
import type { Claim } from "../../src/storage/index.ts";
import { openStore, tryStore } from "./object-store/store.ts";
import { fromObjects } from "./object-store/worker.ts";
import {
  connect,
  keys,
  prefix,
  queueing,
  redisAddress,
  removeQueue,
  requireKeeping,
  withRedis,
} from "./redis.ts";
import { fromFolder } from "./task-files.ts";

/** Poll interval, if no notification arrives. */
const lookMilliseconds = 250;
/** Delay before a returned task is taken again. */
const againMilliseconds = 1000;

interface Leased {
  readonly job: Job;
  readonly token: string;
  readonly worker: Worker;
  readonly stop: AbortController;
  lost: boolean;
}

interface Line {
  readonly submission: Submission;
  readonly worker: Worker;
}

/**
 * Resolves when the signal has aborted or the worker was idle for long enough, and every task has saved. Returns the number of
 * executed tasks.
 */
export async function runWorker(options: WorkerOptions): Promise<number> {
  const { slots, folder, objects, leaseSeconds, idleSeconds, signal, say = () => {} } = options;
  const store = objects && (await openStore(objects.address));
  if (store !== undefined) await tryStore(store); // a wrong key fails at once
  const address = redisAddress(options.address);
  await withRedis(address, (redis) => requireKeeping(redis, address)); // fail immediately if Redis is unreachable
  const { Worker: QueueWorker } = await queueing();
  let silent = false;
  const { redis, close } = await connect(address, true, (words) => {
    if (!silent) say(`Redis does not answer (${words}); running tasks continue`);
    silent = true;
  });
  redis.on("ready", () => {
    if (silent) say("Redis is reachable again");
    silent = false;
  });
  const supply =
    store === undefined
      ? fromFolder(folder)
      : fromObjects({ store, scratch: folder, publishSeconds: objects!.publishSeconds, say }, redis);
  const leaseMilliseconds = leaseSeconds * 1000;
  const lines = new Map<string, Line>();
  const refused = new Set<string>();
  const leased = new Set<Leased>();
  const ending = new Set<Promise<void>>();
  let count = 0;

  const open = async (name: string, at: string): Promise<Line | undefined> => {
    try {
      const submission = await supply.open(name, at);
      const worker = new QueueWorker(name, null, {
        ...{ connection: redis, prefix, lockDuration: leaseMilliseconds, autorun: false },
        ...{ stalledInterval: leaseMilliseconds / 2, maxStalledCount: Number.MAX_SAFE_INTEGER },
      });
      worker.on("error", () => {}); // the connection reports it once
      void worker.startStalledCheckTimer();
      return { submission, worker };
    } catch (error) {
      if (!refused.has(name)) say(`${at} is left to other workers: ${(error as Error).message}`);
      refused.add(name);
      return undefined;
    }
  };

  /** A task in progress may write to a queue after its removal: remove it again. */
  const leave = async (name: string, worker: Worker) => {
    await worker.close(true);
    if ((await redis.hexists(keys.submissions, name)) === 0) await removeQueue(redis, name);
  };

  /** The submissions to work on, from Redis. Tasks of removed submissions are stopped. */
  const look = async () => {
    const listed = await redis.hgetall(keys.submissions);
    for (const [name, { worker }] of lines) {
      if (Object.hasOwn(listed, name)) continue;
      for (const each of leased) if (each.worker === worker) each.stop.abort();
      lines.delete(name);
      void leave(name, worker).catch(() => {});
    }
    for (const [name, at] of Object.entries(listed)) {
      const line = lines.has(name) ? undefined : await open(name, at);
      if (line !== undefined) lines.set(name, line);
    }
    await redis.set(
      keys.worker(workerId),
      JSON.stringify({ host: hostname(), pid: process.pid, slots, folder: supply.words }),
      "PX",
      4 * Math.max(leaseMilliseconds, 1000),
    );
  };

  const take = async (): Promise<boolean> => {
    for (const { worker, submission } of lines.values()) {
      const token = randomUUID();
      const job = await worker.getNextJob(token, { block: false });
      if (job === undefined) continue;
      count++;
      const ended = carry({ job, token, worker, stop: new AbortController(), lost: false }, submission);
      ending.add(ended);
      void ended.finally(() => ending.delete(ended));
      return true;
    }
    return false;
  };

  const carry = async (lease: Leased, submission: Submission) => {
    const { job, token } = lease;
    const task: TaskJob = { folder: submission.folder, index: Number(job.data.index) };
    const claim = {
      ...{ engine: submission.header.engine, job: `${submission.name}_${task.index}` },
      epoch: job.attemptsStarted,
    };
    leased.add(lease);
    options.onBegin?.(task, claim);
    const again = await worked(lease, submission, task, claim).finally(() => leased.delete(lease));
    if (lease.lost) return options.onEnd?.(task, "lost");
    const giving = again
      ? job.moveToDelayed(Date.now() + againMilliseconds, token)
      : job.moveToCompleted(null, token, false);
    // Refused if the lease was lost or the submission cancelled in the meantime: then the outcome is not ours to report.
    const given = await within(giving, signal).then(
      () => true,
      () => false,
    );
    if (!lines.has(submission.name))
      await within(leave(submission.name, lease.worker), signal).catch(() => {});
    options.onEnd?.(task, given ? (again ? "put back" : "ended") : "lost");
  };

  /** Downloads the files, executes the task, and saves its output; returns whether to restart it. */
  const worked = async (lease: Leased, submission: Submission, { index }: TaskJob, claim: Claim) => {
    const stopping = AbortSignal.any([signal, lease.stop.signal]);
    const onLost = () => {
      lease.lost = true;
      lease.stop.abort();
    };
    const bringing = { submission, index, claim, signal: stopping, onLost };
    const site = await supply.bring(bringing).catch((error: unknown) => {
      if (!stopping.aborted) say(`task ${index}: ${errorText(error)}`);
      return "put back" as const;
    });
    if (site === "lost") onLost();
    if (typeof site === "string") return site === "put back";
    const task: TaskJob = { folder: site.submission.folder, index };
    try {
      await options.execute(task, claim, stopping);
    } catch (error) {
      // The outcome is in its folder, unless the process died early.
      if (!stopping.aborted && !hasBegun(site.submission, task, claim))
        keepAttempt(site.submission, index, {
          ...{ kind: "failed", at: new Date().toISOString() },
          words: errorText(error),
        });
    }
    const again = isLeft(site.submission, task);
    const end = await site.close();
    if (end === "lost") onLost();
    return again || end === "unkept"; // done, but its output is lost
  };

  let renewing = false;
  const renew = async () => {
    if (renewing) return; // Redis is unreachable
    renewing = true;
    try {
      for (const lease of [...leased]) {
        if (lease.lost || (await lease.job.extendLock(lease.token, leaseMilliseconds)) === 1) continue;
        lease.lost = true;
        lease.stop.abort();
      }
    } catch {
      // retried
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), leaseMilliseconds / 3);

  let busyAt = performance.now();
  try {
    while (!signal.aborted) {
      await within(look(), signal);
      let took = true;
      while (took && ending.size < slots && !signal.aborted) took = await within(take(), signal);
      if (ending.size > 0) busyAt = performance.now();
      else if (idleSeconds !== undefined && performance.now() - busyAt > idleSeconds * 1000) break;
      await Promise.race([...ending, pause(lookMilliseconds, signal)]);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.allSettled(ending);
    clearInterval(timer);
    await within(redis.del(keys.worker(workerId)), AbortSignal.abort()).catch(() => {});
    await Promise.allSettled(
      [...lines].map(([name, { worker }]) => within(leave(name, worker), AbortSignal.abort())),
    );
    close();
  }
  return count;
}

const workerId = randomUUID();

/** Stopped, or dead and not for the third time in vain: restart. */
function isLeft(submission: Submission, { index }: TaskJob): boolean {
  const attempts = readAttempts(submission, index);
  const { kind } = taskState(attempts);
  return kind !== "done" && kind !== "failed" && deathsInVain(attempts) < mostDeaths;
}

const hasBegun = (submission: Submission, { index }: TaskJob, { job, epoch }: Claim) =>
  readAttempts(submission, index).some(
    (attempt) => attempt.kind === "begun" && attempt.job === job && attempt.epoch === epoch,
  );
