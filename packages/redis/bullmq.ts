/**
 * @file A Redis as an engine: a submission is a queue of BullMQ, and whoever says `statelab worker --redis URL` takes tasks from it.
 *
 *     SADD, then addBulk t0, t1, t2 ...      a job that is known is not added again: a submission that broke off goes on
 *     worker: getNextJob                     a lease on t1, counted: begun for the n-th time is epoch n of its locks
 *
 * What is done leaves the queue: it holds what waits or is at work, and its counts are the truth, never its events.
 */

import type { Redis } from "ioredis";
import type { Engine, Queued, Submission, TaskFiles } from "../../src/executors/executor.ts";
import { type Handing, sharedFolder } from "../../src/executors/files.ts";
import { keepTicket, ticketsOf } from "../../src/executors/manifest.ts";
import type { ManifestTask } from "../../src/schemas/submission.ts";
import { StoreSilent } from "./object-store/store.ts";
import { throughObjects } from "./object-store/submitter.ts";
import {
  keys,
  prefix,
  queueing,
  RedisSilent,
  redisPlaces,
  removeQueue,
  requireKeeping,
  withRedis,
} from "./redis.ts";

export interface BullmqOptions {
  /** `redis://HOST:6379`, and `?objects=s3://BUCKET/PREFIX` behind it where no folder is shared. */
  readonly address: string;
  /** Of a task's work, for a store of objects. */
  readonly filesOf: (task: ManifestTask) => TaskFiles;
  /** Tasks of one submission at the same time, on all machines. */
  readonly atMost: number;
}

export const taskId = (index: number) => `t${index}`;
const indexOf = (id: string) => Number(id.slice(1));

/** Jobs that are added by one call. */
const atOnce = 1000;

const waiting = ["wait", "delayed", "prioritized"] as const;

export function bullmq({ address: given, filesOf, atMost }: BullmqOptions): Engine {
  const { name: engine, address, objects } = redisPlaces(given);
  const handing = objects === undefined ? sharedFolder : throughObjects(objects, filesOf);
  return {
    name: engine,
    outlives: true,
    everySeconds: 2,

    async submit(submission) {
      if (isTaken(submission)) return;
      await withRedis(address, async (redis) => {
        await requireKeeping(redis, address);
        const { Queue } = await queueing();
        const { name, header } = submission;
        const begun = await handing.offer(redis, submission);
        await redis.hset(keys.submissions, name, handing.placeOf(submission));
        const queue = new Queue(name, { connection: redis, prefix });
        queue.on("error", () => {}); // it is thrown where it matters
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

/** It does not answer now, or the store does not: nothing is known. What is refused is told. */
const isSilent = (error: unknown) => error instanceof RedisSilent || error instanceof StoreSilent;

const isTaken = (submission: Submission) => ticketsOf(submission).length > 0;

const jobOf = (index: number) => ({
  name: "task",
  data: { index },
  opts: { jobId: taskId(index), attempts: 1, removeOnComplete: true, removeOnFail: true },
});

async function found(redis: Redis, submission: Submission, handing: Handing): Promise<Map<number, Queued>> {
  const { Queue } = await queueing();
  const queue = new Queue(submission.name, { connection: redis, prefix, skipMetasUpdate: true });
  queue.on("error", () => {});
  // First who waits: what is taken meanwhile is then found at work, and nothing is in neither.
  const pending = await queue.getRanges([...waiting], 0, -1);
  const active = await queue.getRanges(["active"], 0, -1);
  const again = await queue.getRanges([...waiting], 0, -1); // put back between the two
  const there = new Map<number, Queued>();
  for (const id of [...pending, ...again])
    there.set(indexOf(id), { kind: "pending", note: "waits for a worker" });
  for (const id of active) there.set(indexOf(id), { kind: "running", note: "at a worker" });
  if (!isTaken(submission)) return there;
  await handing.collect(redis, submission, async (index) => {
    if (there.has(index)) return false;
    if ((await queue.getJob(taskId(index))) === undefined) return true;
    there.set(index, { kind: "pending", note: "on its way" }); // from one list to another between the three looks
    return false;
  });
  if (there.size === 0) await forget(redis, submission.name);
  return there;
}

/** Whoever is at work for it saves and ends: it is on the list no more. */
async function forget(redis: Redis, name: string): Promise<void> {
  await redis.hdel(keys.submissions, name);
  await removeQueue(redis, name);
}
