/**
 * @file The Redis executor: a submission is a BullMQ queue, and every `statelab cluster worker --redis URL` takes tasks from it.
 *
 *     SADD, then addBulk t0, t1, t2 ...      a known job is not added again: an interrupted submission resumes
 *     worker: getNextJob                     a lease on t1, counted: the n-th start is epoch n of its locks
 *
 * Finished tasks leave the queue, which has only waiting and running ones; its counts are authoritative, not its events.
 */

import type { Redis } from "ioredis";
import type { Executor, QueuedTask, Submission, TaskFiles } from "../../src/executors/executor.ts";
import { keepTicket, readTickets } from "../../src/executors/manifest.ts";
import type { ManifestTask } from "../../src/schemas/submission.ts";
import { StoreSilent } from "./object-store/store.ts";
import { throughObjects } from "./object-store/submitter.ts";
import {
  keys,
  parseRedisAddress,
  prefix,
  queueing,
  RedisSilent,
  removeQueue,
  requireKeeping,
  withRedis,
} from "./redis.ts";
import { type FileTransport, sharedFolder } from "./task-files.ts";

interface BullmqOptions {
  /** `redis://HOST:6379`, followed by `?objects=s3://BUCKET/PREFIX` if no folder is shared. */
  readonly address: string;
  /** The files of a task, for an object store. */
  readonly filesOf: (task: ManifestTask) => TaskFiles;
  /** Maximum number of concurrent tasks of one submission, on all machines. */
  readonly atMost: number;
}

const taskId = (index: number) => `t${index}`;
const indexOf = (id: string) => Number(id.slice(1));

/** Jobs added per call. */
const atOnce = 1000;

const waiting = ["wait", "delayed", "prioritized"] as const;

export function bullmq({ address: given, filesOf, atMost }: BullmqOptions): Executor {
  const { name: engine, address, objects } = parseRedisAddress(given);
  const handing = objects === undefined ? sharedFolder : throughObjects(objects, filesOf);
  return {
    name: engine,
    outlives: true,
    ownFilesOnly: objects !== undefined,
    everySeconds: 2,

    check: () => withRedis(address, (redis) => requireKeeping(redis, address)),

    async submit(submission) {
      if (isTaken(submission)) return;
      await withRedis(address, async (redis) => {
        await requireKeeping(redis, address);
        const { Queue } = await queueing();
        const { name, header } = submission;
        const begun = await handing.offer(redis, submission);
        await redis.hset(keys.submissions, name, handing.placeOf(submission));
        const queue = new Queue(name, { connection: redis, prefix });
        queue.on("error", () => {}); // thrown on use
        await queue.setGlobalConcurrency(atMost);
        for (let first = 0; first < header.tasks; first += atOnce) {
          const count = Math.min(atOnce, header.tasks - first);
          const indexes = Array.from({ length: count }, (_, i) => first + i);
          await queue.addBulk(indexes.filter((index) => !begun.has(index)).map(jobOf));
        }
        const at = new Date().toISOString();
        keepTicket(submission, {
          ...{ engine, job: name, at },
          ...{ first: 0, last: header.tasks - 1, pack: 1 },
        });
      });
    },

    async poll(submission) {
      try {
        return await withRedis(address, (redis) => found(redis, submission, handing));
      } catch (error) {
        if (isSilent(error)) return undefined;
        throw error;
      }
    },

    async cancel(submission) {
      await withRedis(address, async (redis) => {
        await forget(redis, submission.name);
        await handing.part(redis, submission);
        await handing.collect(redis, submission, async () => true);
      });
    },
  };
}

/** Redis or the store does not answer: nothing is known. Refusals are reported. */
const isSilent = (error: unknown) => error instanceof RedisSilent || error instanceof StoreSilent;

const isTaken = (submission: Submission) => readTickets(submission).length > 0;

const jobOf = (index: number) => ({
  name: "task",
  data: { index },
  opts: { jobId: taskId(index), attempts: 1, removeOnComplete: true, removeOnFail: true },
});

async function found(
  redis: Redis,
  submission: Submission,
  handing: FileTransport,
): Promise<Map<number, QueuedTask>> {
  const { Queue } = await queueing();
  const queue = new Queue(submission.name, { connection: redis, prefix, skipMetasUpdate: true });
  queue.on("error", () => {});
  // Read waiting tasks first: one that is taken meanwhile then appears as running, so none is missed.
  const pending = await queue.getRanges([...waiting], 0, -1);
  const active = await queue.getRanges(["active"], 0, -1);
  const again = await queue.getRanges([...waiting], 0, -1); // put back in the meantime
  const there = new Map<number, QueuedTask>();
  for (const id of [...pending, ...again])
    there.set(indexOf(id), { kind: "pending", note: "waits for a worker" });
  for (const id of active) there.set(indexOf(id), { kind: "running", note: "at a worker" });
  if (!isTaken(submission)) return there;
  await handing.collect(redis, submission, async (index) => {
    if (there.has(index)) return false;
    if ((await queue.getJob(taskId(index))) === undefined) return true;
    there.set(index, { kind: "pending", note: "on its way" }); // moved between lists during the three queries
    return false;
  });
  if (there.size === 0) await forget(redis, submission.name);
  return there;
}

/** Its workers save and stop, since it is no longer on the list. */
async function forget(redis: Redis, name: string): Promise<void> {
  await redis.hdel(keys.submissions, name);
  await removeQueue(redis, name);
}
