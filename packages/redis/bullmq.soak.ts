import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keepAttempt, readAttempts } from "../../src/executors/attempts.ts";
import type { Submission } from "../../src/executors/executor.ts";
import { taskFiles } from "../../src/executors/job-outputs.ts";
import type { TaskJob } from "../../src/executors/local.ts";
import { openSubmission, writeManifest } from "../../src/executors/manifest.ts";
import type { WorkerOptions } from "../../src/executors/packages.ts";
import type { Claim } from "../../src/storage/index.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { bullmq } from "./bullmq.ts";
import { queueing, removeQueue } from "./redis.ts";
import { missing, type RedisServer, startRedis } from "./redis-server.test-helper.ts";
import { runWorker } from "./worker.ts";

if (missing !== undefined) console.warn(`skipped: the tests on a real Redis: ${missing}`);

const root = tmpFolder("bullmq");
let home = "";
const at = "2026-01-01";

async function submission(tasks: number, engine: string): Promise<Submission> {
  const made = await writeManifest(home, {
    ...{ created: new Date().toISOString(), statelab: "0", engine, command: [], gone: [] },
    work: Array.from({ length: tasks }, (_, i) => ({
      folder: `${i}`,
      work: { kind: "probe" as const, seconds: 0 },
    })),
  });
  mkdirSync(join(made.folder, "tasks"));
  return made;
}

const begin = ({ folder, index }: TaskJob, { job, epoch }: Claim) =>
  keepAttempt(openSubmission(folder), index, { kind: "begun", at, host: "here", job, epoch, step: 0 });
const finish = ({ folder, index }: TaskJob, kind: "done" | "stopped" = "done") =>
  keepAttempt(openSubmission(folder), index, { kind, at });

describe.skipIf(missing !== undefined)("on a real Redis", () => {
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    home = mkdtempSync(join(root, "x-"));
  });

  const lending = (options: Partial<WorkerOptions> & Pick<WorkerOptions, "execute">) =>
    runWorker({
      ...{ address: server.url, slots: 4, folder: root, leaseSeconds: 3, idleSeconds: 0.4 },
      ...{ signal: new AbortController().signal, ...options },
    });

  test("each task is one machine's, at most so many are at work on all of them, and nothing is left in Redis", async () => {
    const engine = bullmq({ address: server.url, filesOf: taskFiles, atMost: 3 });
    const made = await submission(20, engine.name);
    await engine.submit(made);
    await engine.submit(made); // known already
    // A submission that broke off before its ticket is handed over again: what is known is not added twice.
    rmSync(join(made.folder, "tickets.jsonl"));
    await engine.submit(made);
    expect([...(await engine.poll(made))!.values()].map(({ kind }) => kind)).toEqual(
      Array(20).fill("pending"),
    );
    const had: number[] = [];
    let [running, most] = [0, 0];
    const execute: WorkerOptions["execute"] = async (task, claim) => {
      most = Math.max(most, ++running);
      begin(task, claim);
      await sleep(40);
      had.push(task.index);
      finish(task);
      running--;
    };
    const counts = await Promise.all([lending({ execute }), lending({ execute })]);
    expect(counts[0] + counts[1]).toBe(20);
    expect(had.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    // Never more; a slow machine hands over too late for three to meet.
    expect([2, 3]).toContain(most);
    expect(await engine.poll(made)).toEqual(new Map());
    expect(await redis.keys("*")).toEqual([]);
  });

  test("a queue that several remove at the same moment, as who cancels and the workers do, is gone, and nobody fails", async () => {
    const { Queue } = await queueing();
    const clients = Array.from({ length: 8 }, () => new Redis(server.url));
    for (let round = 0; round < 20; round++) {
      const queue = new Queue("contended", { connection: redis, prefix: "statelab" });
      await queue.addBulk(Array.from({ length: 30 }, (_, i) => ({ name: `${i}`, data: {} })));
      await Promise.all(clients.map((client) => removeQueue(client, "contended")));
      expect(await redis.keys("*")).toEqual([]);
    }
    for (const client of clients) client.disconnect();
  });

  test("a lease that is lost ends the work; the next one has a later epoch; what stopped or died is begun again, what never began has failed", async () => {
    const engine = bullmq({ address: server.url, filesOf: taskFiles, atMost: 9 });
    const made = await submission(4, engine.name);
    await engine.submit(made);
    const ends: string[] = [];
    const epochs: Record<number, number[]> = {};
    await lending({
      execute: async (task, claim, signal) => {
        const { index } = task;
        epochs[index] = [...(epochs[index] ?? []), claim.epoch];
        if (index === 3) throw new Error("there is no Node here");
        begin(task, claim);
        const first = claim.epoch === 1;
        if (index === 0 && first) {
          await redis.del(`statelab:${made.name}:t0:lock`); // as if this machine had been silent for too long
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          throw new Error("stopped");
        }
        if (index === 1 && first) finish(task, "stopped");
        else if (index === 2 && claim.epoch < 9) throw new Error("worker 7 was killed");
        else finish(task);
      },
      onEnd: ({ index }, how) => ends.push(`${index} ${how}`),
      idleSeconds: 5,
    });
    expect(epochs).toEqual({ 0: [1, 2], 1: [1, 2], 2: [1, 2, 3], 3: [1] });
    expect(ends).toContain("0 lost");
    expect(ends.filter((end) => end.endsWith("ended")).sort()).toEqual([0, 1, 2, 3].map((i) => `${i} ended`));
    expect(readAttempts(made, 3).at(-1)).toMatchObject({ kind: "failed", words: "there is no Node here" });
    expect(readAttempts(made, 1)[0]).toMatchObject({ job: `${made.name}_1`, epoch: 1 });
  });

  test("what is cancelled ends, and what is not below the lent folder, or not its manifest's, is left to others", async () => {
    const engine = bullmq({ address: server.url, filesOf: taskFiles, atMost: 2 });
    const made = await submission(3, engine.name);
    await engine.submit(made);
    await redis.hset("statelab:submissions", "0123456789abcdef", made.folder);
    const said: string[] = [];
    let cancelled = 0;
    await lending({
      execute: async (task, claim, signal) => {
        begin(task, claim);
        if (cancelled++ === 1) await engine.cancel(made);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        throw new Error("stopped");
      },
      say: (words) => said.push(words),
    });
    expect(cancelled).toBe(2);
    expect(said).toEqual([expect.stringMatching(/is left to other workers: its manifest is that of/)]);
    expect(await engine.poll(made)).toEqual(new Map());
    const other = await submission(1, engine.name);
    await engine.submit(other);
    const elsewhere = mkdtempSync(join(root, "y-"));
    expect(
      await lending({ folder: elsewhere, execute: async () => {}, say: (words) => said.push(words) }),
    ).toBe(0);
    expect(said.at(-1)).toMatch(/is left to other workers: it is not below/);
    await engine.cancel(other);
    await redis.del("statelab:submissions");
  });

  test("a Redis that may lose jobs is refused, and one that does not answer is no death", async () => {
    const refusing = async (args: string[]) => {
      const own = await startRedis(args);
      try {
        const engine = bullmq({ address: own.url, filesOf: taskFiles, atMost: 1 });
        return await engine.submit(await submission(1, engine.name)).catch((error: Error) => error.message);
      } finally {
        await own.stop();
      }
    };
    expect(await refusing(["--appendonly", "no"])).toMatch(/expected appendonly yes, .*, got "no"/);
    expect(await refusing(["--appendonly", "yes", "--maxmemory-policy", "allkeys-lru"])).toMatch(
      /expected maxmemory-policy noeviction, .*, got "allkeys-lru"/,
    );
    const engine = bullmq({ address: "redis://127.0.0.1:1", filesOf: taskFiles, atMost: 1 });
    const made = await submission(1, engine.name);
    expect(await engine.poll(made)).toBeUndefined();
    await expect(engine.submit(made)).rejects.toThrow(
      /redis:..127.0.0.1:1.0: expected a Redis that answers, got ".*ECONNREFUSED/,
    );
    expect(readFileSync(join(made.folder, "manifest.jsonl"), "utf8")).toContain('"tasks":1');
  });
});
