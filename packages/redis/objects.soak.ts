import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keepAttempt, readAttempts, taskState } from "../../src/executors/attempts.ts";
import type { Submission } from "../../src/executors/executor.ts";
import { taskFiles } from "../../src/executors/job-outputs.ts";
import type { TaskJob } from "../../src/executors/local.ts";
import { openSubmission, readTask, writeManifest } from "../../src/executors/manifest.ts";
import type { WorkerOptions } from "../../src/executors/packages.ts";
import type { Claim } from "../../src/storage/index.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { bullmq } from "./bullmq.ts";
import { begin, offer, publish, readPointer } from "./object-store/refs.ts";
import { type S3Server, startS3 } from "./object-store/s3-server.test-helper.ts";
import { missing, type RedisServer, startRedis } from "./redis-server.test-helper.ts";
import { runWorker } from "./worker.ts";

if (missing !== undefined) console.warn(`skipped: the tests of a store of objects: ${missing}`);

const root = tmpFolder("objects");
let home = "";
let scratch = "";
const at = "2026-01-01";
const address = "s3://lab/runs";
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(new Error("stopped"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

async function submission(tasks: number, engine: string): Promise<Submission> {
  const made = await writeManifest(home, {
    ...{ created: new Date().toISOString(), statelab: "0", engine, command: [], gone: [] },
    work: Array.from({ length: tasks }, (_, i) => ({
      folder: `runs/${i}`,
      work: { kind: "probe" as const, seconds: 0 },
    })),
  });
  mkdirSync(join(made.folder, "tasks"));
  return made;
}

const started = ({ folder, index }: TaskJob, { job, epoch }: Claim) =>
  keepAttempt(openSubmission(folder), index, { kind: "begun", at, host: "here", job, epoch, step: 0 });
const finish = ({ folder, index }: TaskJob, kind: "done" | "stopped" = "done") =>
  keepAttempt(openSubmission(folder), index, { kind, at });
/** The task's own folder, wherever it is carried out. */
function placeOf({ folder, index }: TaskJob): string {
  const { submission: own, task } = readTask(folder, index);
  const place = join(own.home, task.folder);
  mkdirSync(place, { recursive: true });
  return place;
}
const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

describe.skipIf(missing !== undefined)("on a real Redis and a real store", () => {
  let server: RedisServer;
  let s3: S3Server;
  let redis: Redis;
  const before = { ...process.env };
  beforeAll(async () => {
    [server, s3] = await Promise.all([startRedis(), startS3()]);
    redis = new Redis(server.url);
    Object.assign(process.env, s3.environment);
  });
  afterAll(async () => {
    process.env = before;
    redis?.disconnect();
    await Promise.all([server?.stop(), s3?.stop()]);
  });
  beforeEach(() => {
    home = mkdtempSync(join(root, "home-"));
    scratch = mkdtempSync(join(root, "scratch-"));
  });

  const engineOn = (store = address, atMost = 4) =>
    bullmq({ address: `${server.url}?objects=${store}`, filesOf: taskFiles, atMost });
  const lending = (options: Partial<WorkerOptions> & Pick<WorkerOptions, "execute">) =>
    runWorker({
      ...{ address: server.url, slots: 4, folder: scratch, leaseSeconds: 3, idleSeconds: 0.5 },
      objects: { address, publishSeconds: 0.3 },
      ...{ signal: new AbortController().signal, ...options },
    });
  /** Polls like a supervisor until nothing is queued. */
  const collected = async (made: Submission, engine = engineOn()) => {
    for (let i = 0; i < 200; i++) {
      if ((await engine.poll(made))?.size === 0) return;
      await sleep(50);
    }
    throw new Error("still queued");
  };

  test("what was there goes along, what comes of it comes back, what it removed is removed, the user's own stays; Redis, bucket and scratch are empty then", async () => {
    const engine = engineOn();
    const made = await submission(5, engine.name);
    mkdirSync(join(home, "runs/0"), { recursive: true });
    writeFileSync(join(home, "runs/0/old"), "old");
    writeFileSync(join(home, "runs/0/log.jsonl"), "1\n");
    await engine.submit(made);
    await engine.submit(made); // known already
    rmSync(join(made.folder, "tickets.jsonl")); // it broke off before its ticket
    await engine.submit(made);
    writeFileSync(join(home, "runs/0/mine"), "mine");
    const seen: string[] = [];
    const execute: WorkerOptions["execute"] = async (task, claim) => {
      const place = placeOf(task);
      started(task, claim);
      if (task.index === 0) seen.push(read(join(place, "old")), read(join(place, "mine")));
      rmSync(join(place, "old"), { force: true });
      appendFileSync(join(place, "log.jsonl"), "2\n");
      writeFileSync(join(place, "run.lock"), "me");
      mkdirSync(join(place, "checkpoints/4"), { recursive: true });
      writeFileSync(join(place, "checkpoints/4/state.json"), `of ${task.index}`);
      await sleep(50);
      finish(task);
    };
    const counts = await Promise.all([lending({ execute }), lending({ execute })]);
    expect(counts[0] + counts[1]).toBe(5);
    await Promise.all([collected(made), collected(made, engineOn())]); // in two terminals
    expect(seen).toEqual(["old", ""]);
    expect(readdirSync(join(home, "runs/0")).sort()).toEqual(["checkpoints", "log.jsonl", "mine"]);
    expect(read(join(home, "runs/0/log.jsonl"))).toBe("1\n2\n");
    for (let i = 0; i < 5; i++) {
      expect(read(join(home, `runs/${i}/checkpoints/4/state.json`))).toBe(`of ${i}`);
      expect(taskState(readAttempts(made, i)).kind).toBe("done");
    }
    expect(await redis.keys("*")).toEqual([]);
    expect(s3.names("")).toEqual([]);
    expect(readdirSync(scratch).filter((name) => /-\d+\.\d+$/.test(name))).toEqual([]);
  });

  test("of two attempts the later one publishes alone, from the moment it has begun, whatever the earlier one does", async () => {
    await offer(redis, "n", new Map([[7, ""]]));
    const [one, two] = [1, 2].map((epoch) => ({ index: 7, epoch }));
    expect(await publish(redis, "n", one, { listing: "7.1/x" })).toBe("later"); // it has not begun
    expect(await begin(redis, "n", 7, 1)).toMatchObject({ epoch: 1, open: true, silent: 1, listing: "" });
    expect(await publish(redis, "n", one, { listing: "7.1/a" })).toBe("published");
    expect(await begin(redis, "n", 7, 2)).toMatchObject({ epoch: 2, silent: 1, listing: "7.1/a" });
    for (const publication of [{ listing: "7.1/b" }, { close: true }, { words: "no" }])
      expect(await publish(redis, "n", one, publication)).toBe("later");
    expect(await begin(redis, "n", 7, 1)).toBe("later");
    expect(await begin(redis, "n", 7, 2)).toBe("later");
    expect(await publish(redis, "n", two, { listing: "7.2/c", close: true })).toBe("published");
    expect(await publish(redis, "n", two, { listing: "7.2/d" })).toBe("later"); // it has closed
    await offer(redis, "n", new Map([[7, "7.0/again"]]));
    expect(await readPointer(redis, "n", 7)).toEqual({ epoch: 2, open: false, silent: 0, listing: "7.2/c" });
    await redis.del("statelab:objects:n");
    expect(await publish(redis, "n", two, { close: true })).toBe("gone");
    expect(await begin(redis, "n", 7, 9)).toBe("gone");
  });

  test("an attempt that has lost its lease and goes on publishes nothing; its successor goes on from what it had published", async () => {
    const engine = engineOn();
    const made = await submission(1, engine.name);
    await engine.submit(made);
    const ends: string[] = [];
    let woken = () => {};
    const successor = new Promise<void>((resolve) => {
      woken = resolve;
    });
    const stop = new AbortController();
    const first = lending({
      // It ignores the stop: like a frozen process that wakes up while its successor runs.
      execute: async (task, claim) => {
        if (claim.epoch > 1) return aborted(stop.signal);
        started(task, claim);
        appendFileSync(join(placeOf(task), "log.jsonl"), "first\n");
        await sleep(1800); // published
        await redis.del(`statelab:${made.name}:t0:lock`);
        appendFileSync(join(placeOf(task), "log.jsonl"), "never seen\n");
        await successor;
        finish(task);
        await sleep(700); // it would publish twice
      },
      ...{ signal: stop.signal, onEnd: (_, how) => ends.push(how), slots: 1 },
    });
    await sleep(1500);
    let before = "";
    await lending({
      execute: async (task, claim) => {
        expect(claim.epoch).toBe(2);
        const log = join(placeOf(task), "log.jsonl");
        before = read(log);
        started(task, claim);
        woken();
        appendFileSync(log, "second\n");
        await sleep(2500);
        finish(task);
      },
      ...{ idleSeconds: 6, leaseSeconds: 1 },
    });
    stop.abort();
    await first;
    await collected(made);
    expect(before).toMatch(/^first\n(never seen\n)?$/);
    expect(read(join(home, "runs/0/log.jsonl"))).toBe(`${before}second\n`);
    const kinds = readAttempts(made, 0).map((attempt) =>
      attempt.kind === "begun" ? attempt.epoch : attempt.kind,
    );
    expect(kinds).toEqual([1, 2, "done"]);
    expect(ends).toEqual(["lost"]);
  });

  test("a store that is gone while a task works, ends and is collected costs time alone", async () => {
    const engine = engineOn();
    const made = await submission(1, engine.name);
    await engine.submit(made);
    const said: string[] = [];
    const ending = lending({
      execute: async (task, claim) => {
        started(task, claim);
        await s3.leave();
        setTimeout(() => void s3.come(), 3000);
        writeFileSync(join(placeOf(task), "result"), "42");
        await sleep(1000);
        finish(task); // before the store is back
      },
      say: (words) => said.push(words),
    });
    await sleep(1500);
    expect((await engine.poll(made))?.get(0)?.kind).toBe("running");
    await ending;
    await s3.leave();
    expect(await engine.poll(made)).toBeUndefined(); // it cannot be fetched: nothing is known
    await s3.come();
    await collected(made);
    expect(read(join(home, "runs/0/result"))).toBe("42");
    expect(said).toEqual([
      expect.stringMatching(/a store that answers at .*running tasks continue$/),
      "the object store is reachable again",
    ]);
  });

  test("what dies again and again before anything is published has failed, and so has what the store has damaged", async () => {
    const engine = engineOn();
    const made = await submission(2, engine.name);
    mkdirSync(join(home, "runs/1"), { recursive: true });
    writeFileSync(join(home, "runs/1/weights"), "weights");
    await engine.submit(made);
    // Three machines died with task 0: nothing but Redis has seen it.
    for (const epoch of [-2, -1, 0]) {
      const pointer = (await readPointer(redis, made.name, 0))!;
      await redis.hset(
        `statelab:objects:${made.name}`,
        "0",
        JSON.stringify({ ...pointer, epoch: 0, silent: epoch + 3 }),
      );
    }
    const [object] = s3.names(`runs/${made.name}/1.0/`).filter((name) => name.endsWith(digest("weights")));
    s3.damage(object);
    await lending({ execute: async () => expect.fail("neither is to be begun") });
    await collected(made);
    expect(taskState(readAttempts(made, 0))).toMatchObject({
      words: expect.stringMatching(/^it died 3 times before it saved anything/),
    });
    expect(taskState(readAttempts(made, 1))).toMatchObject({
      words: expect.stringMatching(/The store has changed them$/),
    });
    expect(read(join(home, "runs/1/weights"))).toBe("weights");
  });

  test("what is cancelled saves, and that comes back; the next submission goes on from there", async () => {
    const engine = engineOn();
    const made = await submission(1, engine.name);
    await engine.submit(made);
    const working = lending({
      execute: async (task, claim, signal) => {
        started(task, claim);
        await aborted(signal).catch(async () => {
          await sleep(300);
          appendFileSync(join(placeOf(task), "log.jsonl"), "saved\n");
          finish(task, "stopped");
        });
      },
      idleSeconds: 3,
    });
    await sleep(1500);
    await engine.cancel(made);
    expect(read(join(home, "runs/0/log.jsonl"))).toBe("saved\n");
    expect(taskState(readAttempts(made, 0)).kind).toBe("stopped");
    await working;
    expect([await redis.keys("*"), s3.names("")]).toEqual([[], []]);
    writeFileSync(join(home, "later"), "");
    const again = await submission(1, engine.name);
    await engine.submit(again);
    await lending({
      execute: async (task, claim) => {
        started(task, claim);
        appendFileSync(join(placeOf(task), "log.jsonl"), "done\n");
        finish(task);
      },
    });
    await collected(again);
    expect(read(join(home, "runs/0/log.jsonl"))).toBe("saved\ndone\n");
  });

  test("who may not write there submits nothing; folders that somebody writes to, or that lie outside, are refused", async () => {
    const engine = engineOn();
    const made = await submission(1, engine.name);
    process.env.AWS_SECRET_ACCESS_KEY = "wrong";
    await expect(engineOn().submit(made)).rejects.toThrow(
      /s3:..lab.runs: expected keys that may.*"403 SignatureDoesNotMatch"/,
    );
    process.env.AWS_SECRET_ACCESS_KEY = s3.environment.AWS_SECRET_ACCESS_KEY;
    await expect(engineOn("s3://elsewhere/x").submit(made)).rejects.toThrow(
      /the bucket elsewhere at http.*NoSuchBucket/,
    );
    expect(await redis.hgetall("statelab:submissions")).toEqual({});
    mkdirSync(join(home, "runs/0"), { recursive: true });
    const owner = {
      pid: process.ppid,
      host: (await import("node:os")).hostname(),
      since: at,
      command: "train",
      nonce: "1",
      processStart: null,
    };
    writeFileSync(join(home, "runs/0/run.lock"), JSON.stringify(owner));
    await expect(engine.submit(made)).rejects.toThrow(/expected no other writer, got process/);
    const outside = await writeManifest(home, {
      ...{ created: at, statelab: "0", engine: engine.name, command: [], gone: [] },
      work: [{ folder: "../out", work: { kind: "probe", seconds: 0 } }],
    });
    await expect(engine.submit(outside)).rejects.toThrow(
      /a folder inside .* with --object-store, got "one outside"/,
    );
    expect(await redis.keys("*")).toEqual([]);
  });

  test("while it works what is replaced leaves the store, so that this does not grow with the work", async () => {
    const engine = engineOn();
    const made = await submission(1, engine.name);
    await engine.submit(made);
    const counts: number[] = [];
    await lending({
      execute: async (task, claim) => {
        started(task, claim);
        for (let step = 0; step < 10; step++) {
          const place = placeOf(task);
          writeFileSync(join(place, ".new"), `${step}`.repeat(1000));
          rmSync(join(place, "model"), { force: true });
          writeFileSync(join(place, "model"), `${step}`.repeat(1000));
          await sleep(400);
          counts.push(s3.names(`runs/${made.name}/0.`).length);
        }
        finish(task);
      },
    });
    // The model (of the same bytes as .new), the attempts and the listing; for a moment those of two listings.
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(counts.at(-1)).toBeGreaterThanOrEqual(3);
    await collected(made);
  });
});

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
