/**
 * @file A Redis as an engine: a submission is a queue of BullMQ, and whoever says `statelab worker --redis URL` takes tasks from it.
 *
 *     SADD, then addBulk t0, t1, t2 ...      a job that is known is not added again: a submission that broke off goes on
 *     worker: getNextJob                     a lease on t1, counted: begun for the n-th time is epoch n of its locks
 *
 * What is done leaves the queue: it holds what waits or is at work, and its counts are the truth, never its events.
 */

import type { Redis } from "ioredis";
import { LabError } from "../records/error.ts";
import type { Engine, Queued, Submission } from "./engine.ts";
import { keepTicket, ticketsOf } from "./manifest.ts";
import { keys, prefix, queueing, redisAddress, requireKeeping, withRedis } from "./redis.ts";

export interface BullmqOptions {
  readonly address: string;
  /** Tasks of one submission at the same time, on all machines. */
  readonly atMost: number;
}

export const taskId = (index: number) => `t${index}`;
const indexOf = (id: string) => Number(id.slice(1));

/** Jobs that are added by one call. */
const atOnce = 1000;

const waiting = ["wait", "delayed", "prioritized"] as const;

export function bullmq({ address: given, atMost }: BullmqOptions): Engine {
  const address = redisAddress(given);
  return {
    name: address,
    outlives: true,
    everySeconds: 2,

    async submit(submission) {
      if (isTaken(submission)) return;
      await withRedis(address, async (redis) => {
        await requireKeeping(redis, address);
        const { Queue } = await queueing();
        const { name, folder, header } = submission;
        await redis.hset(keys.submissions, name, folder);
        const queue = new Queue(name, { connection: redis, prefix });
        queue.on("error", () => {}); // it is thrown where it matters
        await queue.setGlobalConcurrency(atMost);
        for (let first = 0; first < header.tasks; first += atOnce) {
          const count = Math.min(atOnce, header.tasks - first);
          await queue.addBulk(Array.from({ length: count }, (_, i) => jobOf(first + i)));
        }
        const at = new Date().toISOString();
        keepTicket(submission, {
          ...{ engine: address, job: name, at },
          ...{ first: 0, last: header.tasks - 1, pack: 1 },
        });
      });
    },

    async poll(submission) {
      try {
        return await withRedis(address, (redis) => found(redis, submission));
      } catch (error) {
        if (error instanceof LabError) return undefined; // it does not answer
        throw error;
      }
    },

    async cancel({ name }) {
      await withRedis(address, (redis) => forget(redis, name));
    },
  };
}

const isTaken = (submission: Submission) => ticketsOf(submission).length > 0;

const jobOf = (index: number) => ({
  name: "task",
  data: { index },
  opts: { jobId: taskId(index), attempts: 1, removeOnComplete: true, removeOnFail: true },
});

async function found(redis: Redis, submission: Submission): Promise<Map<number, Queued>> {
  const { Queue } = await queueing();
  const queue = new Queue(submission.name, { connection: redis, prefix });
  queue.on("error", () => {});
  // First who waits: what is taken meanwhile is then found at work, and nothing is in neither.
  const pending = await queue.getRanges([...waiting], 0, -1);
  const active = await queue.getRanges(["active"], 0, -1);
  const again = await queue.getRanges([...waiting], 0, -1); // put back between the two
  const there = new Map<number, Queued>();
  for (const id of [...pending, ...again])
    there.set(indexOf(id), { kind: "pending", note: "waits for a worker" });
  for (const id of active) there.set(indexOf(id), { kind: "running", note: "at a worker" });
  if (there.size === 0 && isTaken(submission)) await forget(redis, submission.name);
  return there;
}

/** Whoever is at work for it saves and ends: it is on the list no more. */
async function forget(redis: Redis, name: string): Promise<void> {
  const { Queue } = await queueing();
  await redis.hdel(keys.submissions, name);
  const queue = new Queue(name, { connection: redis, prefix });
  queue.on("error", () => {});
  await queue.obliterate({ force: true });
}
