/**
 * @file A connection to the Redis that keeps submissions, and whether it keeps them: one that may forget a job is refused.
 *
 *     redis://lab@head:6379/0        a password stands in STATELAB_REDIS_PASSWORD, never in an argument
 *
 *     statelab:submissions           name of a submission -> its folder: what there is to do
 *     statelab:NAME:...              the queue of one submission, as BullMQ keeps it
 *     statelab:worker:ID             who lends a machine, for as long as it says so
 *
 * BullMQ and ioredis are loaded when they are asked for: nobody else needs them.
 */

import type { Redis } from "ioredis";
import { fail, LabError } from "../../src/core/error.ts";
import { storeAddress } from "./object-store/store.ts";

export const passwordVariable = "STATELAB_REDIS_PASSWORD";
export const prefix = "statelab";
export const keys = {
  submissions: `${prefix}:submissions`,
  worker: (id: string) => `${prefix}:worker:${id}`,
} as const;

/** An address without a password, as it is written into manifests. @throws LabError for another text. */
export function redisAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === "")
    return fail("redis", "an address such as redis://HOST:6379", text.replace(/:[^:@/]*@/, ":***@"));
  if (url.password !== "")
    fail(
      "redis",
      "an address without a password",
      "one with it",
      `An argument can be read by every program here; put it into ${passwordVariable}`,
    );
  const database = url.pathname.replace(/^\/$/, "");
  if (!/^(\/\d+)?$/.test(database))
    fail("redis", "the number of a database behind the host", database.slice(1));
  const user = url.username === "" ? "" : `${url.username}@`;
  return `${url.protocol}//${user}${url.hostname}:${url.port || "6379"}${database || "/0"}`;
}

/** The name of an engine: `redis://HOST:6379?objects=s3://BUCKET/PREFIX`, or the address alone, where its machines share a folder. */
export interface RedisPlaces {
  readonly name: string;
  readonly address: string;
  readonly objects: string | undefined;
}

/** @throws LabError for another text. */
export function redisPlaces(text: string): RedisPlaces {
  const [, bare, given] = /^([^?]*)\?objects=(.*)$/s.exec(text) ?? [undefined, text];
  const address = redisAddress(bare);
  if (given === undefined) return { name: address, address, objects: undefined };
  const objects = storeAddress(given);
  return { name: `${address}?objects=${objects}`, address, objects };
}

/** The two packages. @throws LabError that says what to install. */
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

/** All that BullMQ has written about a submission; others may remove it at the same moment. */
export async function removeQueue(redis: Redis, name: string): Promise<void> {
  const { Queue } = await queueing();
  // Else what it writes of itself may come after it has been removed.
  const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
  queue.on("error", () => {});
  // BullMQ pauses the queue, then removes it: where somebody else has removed the pause between the two, both are done again.
  for (let left = 20; ; left--) {
    try {
      return await queue.obliterate({ force: true });
    } catch (error) {
      if (left === 0 || !(error as Error).message.includes("non-paused")) throw error;
    }
  }
}

export interface Connected {
  readonly redis: Redis;
  close(): void;
}

/**
 * `patient`: waits for a server that is gone to come back, however long. Else whoever asks is told at once.
 * `onTrouble` hears what the connection complains of.
 */
export async function connect(
  address: string,
  patient: boolean,
  onTrouble: (words: string) => void = () => {},
): Promise<Connected> {
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

/** It does not answer now; or it refuses, which may pass as well. */
export class RedisSilent extends LabError {}

/** Asks a Redis something and closes. @throws RedisSilent where it cannot be reached. */
export async function withRedis<T>(address: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  let trouble = "";
  const { redis, close } = await connect(address, false, (words) => {
    trouble ||= words;
  });
  try {
    return await use(redis);
  } catch (error) {
    if (error instanceof LabError || !isOfRedis(redis, error)) throw error;
    const words = trouble || (error instanceof Error ? error.message : String(error));
    throw new RedisSilent(`${address}: expected a Redis that answers, got ${JSON.stringify(words)}`);
  } finally {
    close();
  }
}

/** What fails while the connection stands, and is no reply, is not its fault. */
const isOfRedis = (redis: Redis, error: unknown) =>
  redis.status !== "ready" ||
  (error instanceof Error && /^(ReplyError|MaxRetriesPerRequestError)$/.test(error.name));

export interface Keeping {
  readonly version: string;
  /** Each change is written to a log on its disk. */
  readonly appends: boolean;
  /** `noeviction`, or what it throws away when its memory is full. */
  readonly policy: string;
}

/** By INFO: hosted servers do not tell their configuration. */
export async function keepingOf(redis: Redis): Promise<Keeping> {
  const info = await redis.info();
  const value = (key: string) => new RegExp(`^${key}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "?";
  return {
    version: value("redis_version"),
    appends: value("aof_enabled") === "1",
    policy: value("maxmemory_policy"),
  };
}

/** @throws LabError for a Redis that may lose what it was given. */
export async function requireKeeping(redis: Redis, address: string): Promise<void> {
  const { appends, policy } = await keepingOf(redis);
  if (!appends)
    fail(
      address,
      "appendonly yes, so that nothing is lost when it ends",
      "no",
      "redis-cli config set appendonly yes, and in redis.conf",
    );
  if (policy !== "noeviction")
    fail(
      address,
      "maxmemory-policy noeviction, so that it throws no job away",
      policy,
      "redis-cli config set maxmemory-policy noeviction, and in redis.conf",
    );
}
