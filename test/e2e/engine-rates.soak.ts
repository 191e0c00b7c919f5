import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bullmq } from "../../packages/redis/bullmq.ts";
import { missing, type RedisServer, startRedis } from "../../packages/redis/redis-server.test-helper.ts";
import { runWorker } from "../../packages/redis/worker.ts";
import { keepAttempt, readAttempts } from "../../src/executors/attempts.ts";
import type { Submission } from "../../src/executors/executor.ts";
import { taskFiles } from "../../src/executors/job-outputs.ts";
import { writeManifest } from "../../src/executors/manifest.ts";
import { startStatelab, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const small = process.env.SOAK_SLICE === "ci";
const root = tmpFolder("rates");
const seconds = (since: number) => (performance.now() - since) / 1000;

/** The bounds are for two idle cores; the slice of CI uses small numbers and checks no times. */
describe.skipIf(missing !== undefined)("measured on a real Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server?.stop();
  });

  async function submission(tasks: number, duration: number): Promise<Submission> {
    const made = await writeManifest(mkdtempSync(join(root, "x-")), {
      ...{ created: new Date().toISOString(), statelab: "0", engine: server.url, command: [], gone: [] },
      work: Array.from({ length: tasks }, (_, i) => ({
        folder: `${i}`,
        work: { kind: "probe" as const, seconds: duration },
      })),
    });
    for (const name of ["tasks", "logs"]) mkdirSync(join(made.folder, name));
    return made;
  }
  const doneOf = (made: Submission) =>
    Array.from({ length: made.header.tasks }, (_, index) => readAttempts(made, index)).filter((attempts) =>
      attempts.some(({ kind }) => kind === "done"),
    ).length;

  test("10,000 tasks are submitted in less than ten seconds, and empty ones carried out, 500 a second", async () => {
    const tasks = small ? 500 : 10_000;
    const engine = bullmq({ address: server.url, filesOf: taskFiles, atMost: 100 });
    const began = performance.now();
    const made = await submission(tasks, 0);
    await engine.submit(made);
    const submitted = seconds(began);
    const polling = performance.now();
    expect((await engine.poll(made))?.size).toBe(tasks);
    const polled = seconds(polling);
    const carrying = performance.now();
    let had = 0;
    let ended = carrying;
    await runWorker({
      ...{ address: server.url, slots: 50, folder: root, leaseSeconds: 30, idleSeconds: 1 },
      signal: new AbortController().signal,
      async execute({ index }) {
        keepAttempt(made, index, { kind: "done", at: "2026" });
        had++;
        ended = performance.now();
      },
    });
    const rate = had / ((ended - carrying) / 1000);
    console.log(
      `${tasks} tasks: manifest and submission ${submitted.toFixed(1)} s, a look ${polled.toFixed(2)} s, ${rate.toFixed(0)} empty jobs a second by one worker`,
    );
    expect([had, doneOf(made)]).toEqual([tasks, tasks]);
    if (!small) {
      expect(submitted).toBeLessThan(10);
      expect(rate).toBeGreaterThan(500);
    }
  });

  test("what the lab costs a task, and the share of slot time that is used by tasks of 30 s on 8 slots", async () => {
    const [tasks, duration, slots] = small ? [4, 1, 2] : [24, 30, 8];
    const made = await submission(tasks, duration);
    await bullmq({ address: server.url, filesOf: taskFiles, atMost: slots }).submit(made);
    const began = performance.now();
    const args = [...words(`--redis ${server.url} --workers ${slots} --folder`), root];
    const worker = startStatelab(root, "cluster worker", ...args);
    while (doneOf(made) < tasks) await new Promise((resolve) => setTimeout(resolve, 50));
    const wall = seconds(began);
    worker.process.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
    const used = (tasks * duration) / (slots * wall);
    const alone = await submission(1, 0);
    const calling = performance.now();
    expect((await statelab(root, "cluster worker", alone.folder, "--task", "0")).code).toBe(0);
    const overhead = seconds(calling);
    console.log(
      `${tasks} tasks of ${duration} s on ${slots} slots: ${(100 * used).toFixed(1)} % of slot time used, ${((wall - (tasks * duration) / slots) / (tasks / slots)).toFixed(2)} s of each turn are the lab's; an empty task alone ${overhead.toFixed(2)} s`,
    );
    if (!small) {
      expect(used).toBeGreaterThan(0.95);
      expect(overhead).toBeLessThan(1);
    }
  }, 300_000);
});
