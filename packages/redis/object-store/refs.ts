/**
 * @file The current manifest of a task: a pointer in the Redis of the queue.
 *
 *     statelab:objects:NAME      17 -> {"epoch":2,"open":true,"silent":0,"listing":"17.2/6d1f..."}
 *
 *     begin    (epoch 2)         from now on epoch 1 cannot publish; returns the manifest to resume from
 *     publish  (epoch 2)         replaces the manifest, unless a later attempt has begun or this one has closed
 *     close                      the attempt publishes nothing more
 *
 * Each is an atomic Lua script: of two processes that both have the task, only the later one can publish, whatever the state of leases.
 * `silent` counts attempts since the last publication.
 */

import type { Redis } from "ioredis";
import { z } from "zod";
import { parseWith } from "../../../src/core/settings.ts";
import { parseJson } from "../../../src/storage/index.ts";
import { prefix } from "../redis.ts";

export const Pointer = z.strictObject({
  /** 0 is the submitted state. */
  epoch: z.int().min(0),
  open: z.boolean(),
  silent: z.int().min(0),
  /** "" if the task had no files. */
  listing: z.string(),
  /** Why it was given up, if its own process could not report it. */
  words: z.string().optional(),
});
export type Pointer = z.infer<typeof Pointer>;

const keyOf = (name: string) => `${prefix}:objects:${name}`;

/** Registers submitted tasks; known ones stay unchanged. */
export async function offer(
  redis: Redis,
  name: string,
  listings: ReadonlyMap<number, string>,
): Promise<void> {
  const calls = redis.pipeline();
  for (const [index, listing] of listings) {
    const pointer: Pointer = { epoch: 0, open: false, silent: 0, listing };
    calls.hsetnx(keyOf(name), String(index), JSON.stringify(pointer));
  }
  for (const [error] of (await calls.exec()) ?? []) if (error !== null) throw error;
}

export async function readPointers(redis: Redis, name: string): Promise<Map<number, Pointer>> {
  const found = await redis.hgetall(keyOf(name));
  return new Map(
    Object.entries(found).map(([index, text]) => {
      const at = `${keyOf(name)} ${index}`;
      return [Number(index), parseWith(Pointer, parseJson(text, at), at)];
    }),
  );
}

export async function readPointer(redis: Redis, name: string, index: number): Promise<Pointer | undefined> {
  const at = `${keyOf(name)} ${index}`;
  const text = await redis.hget(keyOf(name), String(index));
  return text === null ? undefined : parseWith(Pointer, parseJson(text, at), at);
}

/** gone: the task was collected or cancelled. later: another attempt counts. */
export type Refusal = "gone" | "later";

/**
 * KEYS: the hash. ARGV: index, epoch. A task that was put back while the store was unreachable does not count as a death: `close`
 * decrements.
 */
const beginning = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 'gone' end
local pointer = cjson.decode(text)
if tonumber(ARGV[2]) <= pointer.epoch then return 'later' end
pointer.epoch = tonumber(ARGV[2])
pointer.open = true
pointer.silent = pointer.silent + 1
text = cjson.encode(pointer)
redis.call('HSET', KEYS[1], ARGV[1], text)
return text`;

/** ARGV: index, epoch, listing or "", "close" or "", words or "". */
const publishing = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 'gone' end
local pointer = cjson.decode(text)
if tonumber(ARGV[2]) ~= pointer.epoch or not pointer.open then return 'later' end
if ARGV[3] ~= '' then
  pointer.listing = ARGV[3]
  pointer.silent = 0
end
if ARGV[4] == 'close' then
  pointer.open = false
  if pointer.silent > 0 then pointer.silent = pointer.silent - 1 end
end
if ARGV[5] ~= '' then pointer.words = ARGV[5] end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(pointer))
return 'published'`;

export async function begin(
  redis: Redis,
  name: string,
  index: number,
  epoch: number,
): Promise<Pointer | Refusal> {
  const said = String(await redis.eval(beginning, 1, keyOf(name), index, epoch));
  if (said === "gone" || said === "later") return said;
  const at = `${keyOf(name)} ${index}`;
  return parseWith(Pointer, parseJson(said, at), at);
}

export interface Publication {
  readonly listing?: string;
  readonly close?: boolean;
  readonly words?: string;
}

export async function publish(
  redis: Redis,
  name: string,
  { index, epoch }: { readonly index: number; readonly epoch: number },
  { listing = "", close = false, words = "" }: Publication,
): Promise<"published" | Refusal> {
  const how = close ? "close" : "";
  const said = String(await redis.eval(publishing, 1, keyOf(name), index, epoch, listing, how, words));
  return said === "gone" || said === "later" ? said : "published";
}

/** A collected task accepts no more publications. */
export async function forgetPointers(redis: Redis, name: string, indexes?: readonly number[]): Promise<void> {
  if (indexes === undefined) await redis.del(keyOf(name));
  else if (indexes.length > 0) await redis.hdel(keyOf(name), ...indexes.map(String));
}
