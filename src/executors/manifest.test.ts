import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { RunConfig } from "../schemas/run-config.ts";
import type { AttemptRecord, Work } from "../schemas/submission.ts";
import { deathsInVain, taskState } from "./attempts.ts";
import { executorNamed } from "./index.ts";
import { local } from "./local.ts";
import { listSubmissions, readTask, readTasks, writeManifest } from "./manifest.ts";

const home = tmpFolder("manifest");

const config = RunConfig.parse({
  task: { name: "parity", length: 4 },
  model: { name: "deltanet" },
  train: { steps: 3 },
});
const about = { created: "2026-01-01", statelab: "0", engine: "local", command: ["statelab"], gone: [] };
const write = (count: number, created = about.created) =>
  writeManifest(home, {
    ...{ ...about, created },
    work: Array.from({ length: count }, (_, seed) => ({
      folder: `seed-${seed}`,
      work: { kind: "run" as const, config: { ...config, seed } },
    })),
  });

test("each index has its folder and work, and the manifest's folder bears its checksum", async () => {
  const { folder, name } = await write(12);
  const bytes = readFileSync(join(folder, "manifest.jsonl"));
  expect(createHash("sha256").update(bytes).digest("hex").startsWith(name)).toBe(true);
  expect(basename(folder)).toBe(name);
  const { task, submission } = readTask(folder, 7);
  expect([task.folder, submission.home]).toEqual(["seed-7", home]);
  expect(task.work).toMatchObject({ kind: "run", config: { seed: 7 } });
  expect(readTasks(folder).map(({ index }) => index)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  expect(() => readTask(folder, 12)).toThrow(/expected a task from 0 to 11, got 12/);
});

test("a manifest in which one byte is changed is none", async () => {
  const { folder } = await write(2, "2026-02-02");
  const path = join(folder, "manifest.jsonl");
  const bytes = readFileSync(path);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] ^= change;
      writeFileSync(path, changed);
      expect(() => readTask(folder, 0)).toThrow(expect.objectContaining({ kind: "corrupt" }));
    }),
    { numRuns: 40, seed: 1 },
  );
  writeFileSync(path, bytes);
  expect(listSubmissions(home).map(({ header }) => header.created)).toEqual(["2026-01-01", "2026-02-02"]);
});

test("a task of a kind that this version does not have is refused, saying whose it is", async () => {
  const own = tmpFolder("manifest-former");
  const work = { kind: "ask" } as unknown as Work; // its name before llm-eval
  const { folder } = await writeManifest(own, { ...about, work: [{ folder: "shares/0-3", work }] });
  expect(() => readTasks(folder)).toThrow(/got "ask"\. Another version of statelab submitted it; .* delete /);
  expect(listSubmissions(own)).toHaveLength(1);
});

const at = "2026-01-01";
const begun = (step: number): AttemptRecord => ({ kind: "begun", at, host: "n1", job: "1", epoch: 0, step });
const stopped: AttemptRecord = { kind: "stopped", at };
const done: AttemptRecord = { kind: "done", at };

test.each<[string, AttemptRecord[], string, number]>([
  ["nothing", [], "new", 0],
  ["one death", [begun(0)], "begun", 1],
  ["three without a step", [begun(0), begun(0), begun(0)], "begun", 3],
  ["each a step further", [begun(0), begun(4), begun(8)], "begun", 1],
  ["preempted again and again", [begun(0), stopped, begun(0), stopped, begun(0), stopped], "stopped", 0],
  ["dead after it was preempted", [begun(0), begun(0), stopped, begun(0)], "begun", 1],
  ["done, and a process that was left over", [begun(0), done, begun(0)], "done", 1],
])("attempts: %s", (_, attempts, state, deaths) => {
  expect([taskState(attempts).kind, deathsInVain(attempts)]).toEqual([state, deaths]);
});

/** Two places of this machine, of which each task keeps one until `end` ends the one that has had it longest. */
function twoPlaces(onEnd: (folder: string, index: number) => void) {
  const ends: (() => void)[] = [];
  const counts = { running: 0, most: 0, waiting: ends };
  const engine = local({
    atMost: 2,
    execute: async ({ folder, index }) => {
      counts.most = Math.max(counts.most, ++counts.running);
      await new Promise<void>((resolve) => ends.push(resolve));
      counts.running--;
      onEnd(folder, index);
    },
  });
  const end = async () => {
    ends.shift()!();
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { engine, counts, end };
}

test("this machine works at so many tasks at a time, knows which, and forgets what has ended", async () => {
  const submission = await write(5, "2026-03-03");
  const { engine, counts, end } = twoPlaces((_, index) => {
    if (index === 1) throw new Error("died");
  });
  await engine.submit(submission);
  const kinds = async () => [...(await engine.poll(submission))!].map(([i, { kind }]) => `${i} ${kind}`);
  expect(await kinds()).toEqual(["0 running", "1 running", "2 pending", "3 pending", "4 pending"]);
  for (let ended = 0; ended < 5; ended++) await end();
  expect([await kinds(), counts.most]).toEqual([[], 2]);
  expect(readdirSync(submission.folder)).toEqual(["manifest.jsonl"]); // its lock is released
});

test("what is submitted beside it waits for the same places, and can be cancelled while it waits", async () => {
  const [first, second] = [await write(3, "2026-03-04"), await write(3, "2026-03-05")];
  const done: string[] = [];
  const { engine, counts, end } = twoPlaces((folder, index) =>
    done.push(`${folder === first.folder ? "first" : "second"} ${index}`),
  );
  await engine.submit(first);
  await engine.submit(second);
  await end(); // its place goes to who waits longest
  await end();
  expect([done, counts.most, counts.running]).toEqual([["first 0", "first 1"], 2, 2]);
  const cancelled = engine.cancel(second);
  while (counts.waiting.length > 0) await end();
  await cancelled;
  expect(await engine.poll(second)).toEqual(new Map());
  expect(done.filter((name) => name.startsWith("first"))).toHaveLength(3);
  expect(done.length).toBeLessThan(6);
  expect(counts.most).toBe(2);
});

test("an engine that nobody knows is refused, and the nearest one named", async () => {
  const slurm = { pack: 1, program: ["statelab"], cache: "none" };
  const filesOf = () => ({ lock: "lock", beside: [] });
  const options = { execute: async () => {}, atMost: 1, filesOf, slurm };
  await expect(executorNamed("locl", options)).rejects.toThrow(
    /--executor: expected one of local.*Did you mean local\?/,
  );
  expect((await executorNamed("redis://head", options)).name).toBe("redis://head:6379/0");
  expect((await executorNamed("redis://head?objects=s3://lab/runs/", options)).name).toBe(
    "redis://head:6379/0?objects=s3://lab/runs",
  );
  await expect(executorNamed("redis://head?objects=lab", options)).rejects.toThrow(
    /a bucket and a prefix such as s3:/,
  );
  await expect(executorNamed("redis://head/zero", options)).rejects.toThrow(/the number of a database/);
  await expect(executorNamed("redis://:secret@head", options)).rejects.toThrow(
    /expected an address without a password, got "one with it".*STATELAB_REDIS_PASSWORD/,
  );
});
