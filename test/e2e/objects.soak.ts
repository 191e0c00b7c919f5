import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readPointers } from "../../packages/redis/object-store/refs.ts";
import { type S3Server, startS3 } from "../../packages/redis/object-store/s3-server.test-helper.ts";
import { missing, type RedisServer, startRedis } from "../../packages/redis/redis-server.test-helper.ts";
import { readAttempts } from "../../src/executors/attempts.ts";
import { openSubmission } from "../../src/executors/manifest.ts";
import { linesIn, startStatelab, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, smallSavedEvery } from "../kit/trainings.ts";
import { until } from "../kit/until.ts";
import { type Lent, lendMachine } from "./redis-workers.test-helper.ts";

if (missing !== undefined) console.warn(`skipped: the tests of work through a store of objects: ${missing}`);

const small = process.env.SOAK_SLICE === "ci";
const root = tmpFolder("on-objects");
const at = (...parts: string[]) => join(root, ...parts);
const objects = "s3://lab/runs";
const leaseSeconds = 3;
const steps = small ? 800 : 2500;

describe.skipIf(missing !== undefined)(
  "through a real Redis and a real store, with no folder in common",
  () => {
    let server: RedisServer;
    let s3: S3Server;
    let redis: Redis;
    let machines = 0;
    const lent = new Set<Lent>();
    const before = { ...process.env };
    beforeAll(async () => {
      [server, s3] = await Promise.all([startRedis(), startS3()]);
      redis = new Redis(server.url);
      Object.assign(process.env, s3.environment, { XDG_STATE_HOME: at("state") });
      mkdirSync(at("user"));
      writeFileSync(at("user", "long.yaml"), smallSavedEvery(steps, 25, 0));
    });
    afterEach(() => {
      for (const each of lent) each.kill();
      lent.clear();
    });
    afterAll(async () => {
      process.env = before;
      redis?.disconnect();
      await Promise.all([server?.stop(), s3?.stop()]);
    });

    /** Each machine works in a new folder and cannot see the user's. */
    const lend = () => {
      const folder = at(`machine-${machines++}`);
      mkdirSync(folder);
      const machine = lendMachine(
        folder,
        server.url,
        1,
        leaseSeconds,
        words(`--object-store ${objects} --sync-every 1`),
      );
      const own = { ...machine, folder };
      lent.add(own);
      return own;
    };
    const user = (...args: string[]) => statelab(at("user"), ...args);
    const on = () => words(`--executor ${server.url} --object-store ${objects}`);
    const sweep = (out: string, ...args: string[]) => user("sweep long.yaml --seeds 2 --out", out, ...args);
    const submission = (out: string) => {
      const [name] = readdirSync(at("user", out, "submissions"));
      return openSubmission(at("user", out, "submissions", name));
    };
    const pointers = async (out: string) => [...(await readPointers(redis, submission(out).name)).values()];
    /** Lines of the log where a machine carries the task out. */
    const lines = (folder: string) => {
      const places = readdirSync(folder).filter((name) => /-\d+\.\d+$/.test(name));
      return places
        .flatMap((place) =>
          [0, 1].map((seed) => linesIn(join(folder, place, `seed-${seed}`, "metrics.jsonl"))),
        )
        .reduce((most, each) => Math.max(most, each), 0);
    };

    test("a worker killed with its process, one frozen that wakes up after its lease, a store that is gone and back: the runs are those of an undisturbed sweep, to the byte", async () => {
      const plain = await sweep("plain", "--workers", "1");
      expect(plain.code, plain.stderr).toBe(0);
      const first = [lend(), lend()];
      const submitted = await sweep("hard", ...on(), "--max-workers", "2", "--detach", "--json");
      expect(submitted.code, submitted.stderr).toBe(0);
      expect(JSON.parse(submitted.stdout)).toMatchObject({ runs: 2, left: 2 });
      await until(() => first.every(({ folder }) => lines(folder) > 60), "two runs", {
        seconds: 240,
        saw: () => first.map(({ folder }) => lines(folder)),
      });
      // What was published until now may be from before the first checkpoint.
      const early = await pointers("hard");
      let published = early;
      const bothPublished = async () => {
        published = await pointers("hard");
        return published.every(({ listing, silent }, i) => listing !== early[i].listing && silent === 0);
      };
      while (!(await bothPublished())) await new Promise((resolve) => setTimeout(resolve, 200));
      const [killed, frozen] = first;
      killed.kill();
      lent.delete(killed);
      frozen.freeze();
      const zombieTask = Number(
        /-(\d+)\.1$/.exec(readdirSync(frozen.folder).find((name) => /-\d+\.1$/.test(name))!)![1],
      );
      published = await pointers("hard");
      for (const _ of [0, 1]) lend();
      const epochs = async () => (await pointers("hard")).map(({ epoch }) => epoch);
      for (let i = 0; i < 600 && (await epochs()).some((epoch) => epoch < 2); i++)
        await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await epochs()).toEqual([2, 2]);
      frozen.wake();
      await until(() => frozen.processes().length === 1, "the end of the process that woke up", {
        seconds: 120,
        saw: () => frozen.processes(),
      });
      // Whatever it has put there meanwhile, the pointer is its successor's.
      const pointer = (await pointers("hard"))[zombieTask];
      if (pointer !== undefined) {
        expect(pointer.epoch).toBe(2);
        expect(pointer.listing).toMatch(
          new RegExp(`^${zombieTask}\\.(2/|1/${published[zombieTask].listing.slice(4)})`),
        );
      }
      await s3.leave();
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await s3.come();
      const collected = await sweep("hard", ...on(), "--max-workers", "2", "--json");
      expect(collected.code, collected.stderr).toBe(0);
      for (const seed of [0, 1])
        expect(remains(at("user", "hard", `seed-${seed}`)), `seed ${seed}`).toEqual(
          remains(at("user", "plain", `seed-${seed}`)),
        );
      for (const index of [0, 1]) {
        const attempts = readAttempts(submission("hard"), index);
        const begun = attempts.filter((attempt) => attempt.kind === "begun");
        expect(begun.map(({ epoch }) => epoch).slice(0, 2)).toEqual([1, 2]);
        expect(begun[1].step, "it went on from what was published").toBeGreaterThanOrEqual(25);
        expect(attempts.filter(({ kind }) => kind === "done")).toHaveLength(1);
      }
      expect(existsSync(at("user", "hard", "seed-0", "run.lock"))).toBe(false);
      expect(s3.names("runs/")).toEqual([]);
      // A worker looks a few times a second whether there still is what it works for.
      await vi.waitFor(async () => {
        expect((await redis.keys("*")).filter((key) => !key.startsWith("statelab:worker:"))).toEqual([]);
      }, 5000);
    });

    test("doctor tries the store, and a task through it; wrong keys and a bucket that is not there are one sentence each, also of worker and sweep", async () => {
      lend();
      const looked = await user("doctor", ...on(), "--timeout", "60", "--json");
      expect(looked.code, looked.stdout + looked.stderr).toBe(0);
      const { findings } = JSON.parse(looked.stdout) as { findings: { what: string; ok: boolean }[] };
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      expect(findings.map(({ what }) => what)).toEqual(
        expect.arrayContaining(["the store: it takes an object", "a task runs, and its files come back"]),
      );
      const { AWS_SECRET_ACCESS_KEY } = process.env;
      process.env.AWS_SECRET_ACCESS_KEY = "wrong";
      const refused = [
        await user(`cluster worker --redis ${server.url} --object-store ${objects} --exit-when-idle 1`),
        await sweep("refused", ...on(), "--detach"),
      ];
      const told = await user("doctor", ...on(), "--json");
      process.env.AWS_SECRET_ACCESS_KEY = AWS_SECRET_ACCESS_KEY;
      const nowhere = await user(
        `cluster worker --redis ${server.url} --object-store s3://nowhere/x --exit-when-idle 1`,
      );
      for (const { code, stderr } of refused) {
        expect(code).toBe(2);
        expect(stderr).toMatch(
          /s3:..lab.runs: expected keys that may .*, got "403 SignatureDoesNotMatch". AWS_[^\n]*\n$/,
        );
        expect(stderr).not.toMatch(/\n\s+at /);
      }
      expect([told.code, told.stdout]).toEqual([1, expect.stringContaining("403 SignatureDoesNotMatch")]);
      expect([nowhere.code, nowhere.stderr]).toEqual([
        2,
        expect.stringMatching(/expected the bucket nowhere at http.*NoSuchBucket/),
      ]);
      const none = await user(`sweep long.yaml --seeds 2 --out x --executor local --object-store ${objects}`);
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringMatching(/--object-store with --executor redis/),
      ]);
    });

    test("a run that is cancelled by jobs is in its folder as it was saved, and goes on from there", async () => {
      const machine = lend();
      const running = startStatelab(at("user"), "sweep long.yaml --seeds 1 --out cancelled", ...on());
      await until(() => lines(machine.folder) > 60, "a run", {
        seconds: 240,
        saw: () => lines(machine.folder),
      });
      running.process.kill("SIGINT");
      await running.ended;
      const cancelled = await user("cluster cancel cancelled");
      expect(cancelled.code, cancelled.stderr).toBe(0);
      const saved = readdirSync(at("user", "cancelled", "seed-0", "checkpoints")).map(Number);
      expect(Math.max(...saved)).toBeGreaterThanOrEqual(50);
      const again = await user("sweep long.yaml --seeds 1 --out cancelled", ...on());
      expect(again.code, again.stderr).toBe(0);
      if (!existsSync(at("user", "plain"))) await sweep("plain", "--workers", "1");
      expect(remains(at("user", "cancelled", "seed-0"))).toEqual(remains(at("user", "plain", "seed-0")));
    });
  },
);
