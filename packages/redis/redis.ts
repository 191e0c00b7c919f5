/**
 * @file A connection to the Redis of the submissions, and a check of its durability: a Redis that may lose jobs is refused.
 *
 *     redis://lab@head:6379/0        the password is in STATELAB_REDIS_PASSWORD, never in an argument
 *
 *     statelab:submissions           name of a submission -> its folder: the work to do
 *     statelab:NAME:...              the BullMQ queue of one submission
 *     statelab:worker:ID             a registered worker, with expiry
 *
 * BullMQ and ioredis are loaded on demand.
 */

import type { Redis } from "ioredis";
import { errorText, fail, LabError } from "../../src/core/error.ts";
import { storeAddress } from "./object-store/store.ts";

const passwordVariable = "STATELAB_REDIS_PASSWORD";
export const prefix = "statelab";
export const keys = {
  submissions: `${prefix}:submissions`,
  worker: (id: string) => `${prefix}:worker:${id}`,
} as const;

/** An address without its password, for manifests. @throws LabError for another text. */
export function redisAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === "")
    return fail("redis", "an address such as redis://HOST:6379", text.replace(/:[^:@/]*@/, ":***@"));
  if (url.password !== "")
    fail(
      "redis",
      "an address without a password",
      "one with it",
      `Other programs here can read arguments; put it into ${passwordVariable}`,
    );
  const database = url.pathname.replace(/^\/$/, "");
  if (!/^(\/\d+)?$/.test(database))
    fail("redis", "the number of a database behind the host", database.slice(1));
  const user = url.username === "" ? "" : `${url.username}@`;
  return `${url.protocol}//${user}${url.hostname}:${url.port || "6379"}${database || "/0"}`;
}

/**
 * An executor's address: `redis://HOST:6379?objects=s3://BUCKET/PREFIX`, or without objects if machines share a folder.
 * @throws LabError for another text.
 */
export function parseRedisAddress(text: string) {
  const [, bare, given] = /^([^?]*)\?objects=(.*)$/s.exec(text) ?? [undefined, text];
  const address = redisAddress(bare);
  if (given === undefined) return { name: address, address, objects: undefined };
  const objects = storeAddress(given);
  return { name: `${address}?objects=${objects}`, address, objects };
}

/** Loads the two packages. @throws LabError that says what to install. */
export async function queueing() {
  try {
    const [{ Redis: Client }, { Queue, Worker }] = await Promise.all([import("ioredis"), import("bullmq")]);
    return { Client, Queue, Worker };
  } catch {
    return fail(
      "redis",
      "the packages bullmq and ioredis",
      "none",
      "Install them beside statelab: npm install bullmq ioredis",
    );
  }
}

/** Removes all keys of a submission; other processes may do so at the same time. */
export async function removeQueue(redis: Redis, name: string): Promise<void> {
  const { Queue } = await queueing();
  // Otherwise a late write could follow the removal.
  const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
  queue.on("error", () => {});
  // BullMQ pauses the queue, then removes it: if another process has removed the pause in between, repeat both.
  for (let left = 20; ; left--) {
    try {
      return await queue.obliterate({ force: true });
    } catch (error) {
      if (left === 0 || !(error as Error).message.includes("non-paused")) throw error;
    }
  }
}

/**
 * `patient`: reconnect forever; otherwise fail immediately.
 * `onTrouble` receives connection errors.
 */
export async function connect(
  address: string,
  patient: boolean,
  onTrouble: (words: string) => void = () => {},
) {
  const { Client } = await queueing();
  const password = process.env[passwordVariable];
  const redis = new Client(address, {
    ...(password !== undefined && { password }),
    maxRetriesPerRequest: patient ? null : 1,
    connectTimeout: connectMilliseconds,
    retryStrategy: (times) => (patient || times < 2 ? Math.min(100 * times, longestRetryMilliseconds) : null),
  });
  redis.on("error", ({ message }) => onTrouble(message));
  return { redis, close: () => redis.disconnect() };
}

const connectMilliseconds = 5000;
const longestRetryMilliseconds = 1000;

/** It does not answer; or it refuses, which may be temporary. */
export class RedisSilent extends LabError {}

/** Runs one query and closes. @throws RedisSilent if Redis is unreachable. */
export async function withRedis<T>(address: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  let trouble = "";
  const { redis, close } = await connect(address, false, (words) => {
    trouble ||= words;
  });
  try {
    return await use(redis);
  } catch (error) {
    if (error instanceof LabError || !isOfRedis(redis, error)) throw error;
    const words = trouble || errorText(error);
    throw new RedisSilent(`${address}: expected a Redis that answers, got ${JSON.stringify(words)}`);
  } finally {
    close();
  }
}

/** Errors on a live connection that are no replies are not Redis's fault. */
const isOfRedis = (redis: Redis, error: unknown) =>
  redis.status !== "ready" ||
  (error instanceof Error && /^(ReplyError|MaxRetriesPerRequestError)$/.test(error.name));

/** From INFO: hosted servers refuse CONFIG. */
export async function readPersistence(redis: Redis) {
  const info = await redis.info();
  const value = (key: string) => new RegExp(`^${key}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "?";
  // `policy`: `noeviction`, or what it evicts when its memory is full.
  // `appends`: each change is appended to a log on disk (AOF).
  return {
    version: value("redis_version"),
    appends: value("aof_enabled") === "1",
    policy: value("maxmemory_policy"),
  };
}

/** @throws LabError for a Redis that may lose jobs. */
export async function requireKeeping(redis: Redis, address: string): Promise<void> {
  const { appends, policy } = await readPersistence(redis);
  if (!appends)
    fail(
      address,
      "appendonly yes, so that tasks survive a restart",
      "no",
      "redis-cli config set appendonly yes, and in redis.conf",
    );
  if (policy !== "noeviction")
    fail(
      address,
      "maxmemory-policy noeviction, so that tasks are kept",
      policy,
      "redis-cli config set maxmemory-policy noeviction, and in redis.conf",
    );
}
