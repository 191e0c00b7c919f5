import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import {
  createRun,
  LockLostError,
  latestCheckpoint,
  lockRun,
  type OpenRun,
  ownerAt,
  readLog,
  saveCheckpoint,
  takeLock,
  writeConfig,
} from "./index.ts";
import { type Claim, leaseFromEnvironment } from "./lease.ts";

/** Of the operations on the disk, `then` is done just before the n-th: a process that is held up there while another one works. */
const disk = vi.hoisted(() => ({
  left: Number.POSITIVE_INFINITY,
  meanwhile: undefined as (() => Promise<void>) | undefined,
}));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  type Work = (...args: never[]) => Promise<unknown>;
  const held =
    <W extends Work>(work: W) =>
    async (...args: Parameters<W>) => {
      disk.left--;
      if (disk.left === 0) {
        disk.left = Number.POSITIVE_INFINITY;
        await disk.meanwhile?.();
      }
      return work(...args);
    };
  const handle = (file: FileHandle) => ({
    writeFile: held((content: Uint8Array | string) => file.writeFile(content)),
    sync: held(() => file.sync()),
    close: () => file.close(),
  });
  return {
    ...real,
    ...{ mkdir: held(real.mkdir), rename: held(real.rename), rm: held(real.rm) },
    open: held(async (path: string, flags: string) => handle(await real.open(path, flags))),
  };
});

const scratch = tmpFolder("fencing");
let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(scratch, "x-")), "run");
});

const claim = (epoch: number, changes: Partial<Claim> = {}): Claim => ({
  ...{ engine: "slurm", job: "lab/17_3", epoch },
  ...changes,
});
const standing = (own: Claim | undefined, takeOver = "") =>
  leaseFromEnvironment({ ...(own && { STATELAB_CLAIM: JSON.stringify(own) }), STATELAB_TAKE_OVER: takeOver });
const deadPid = () => spawnSync(process.execPath, ["-e", "0"]).pid;

/** A process of an epoch works with the run: all that it takes meanwhile is by this right. */
async function as<T>(own: Claim, work: () => Promise<T>): Promise<T> {
  vi.stubEnv("STATELAB_CLAIM", JSON.stringify(own));
  try {
    return await work();
  } finally {
    vi.unstubAllEnvs();
  }
}

const content = (value: number) => ({
  model: { w: { dtype: "F32", shape: [2], data: Float32Array.of(value, value) } } as const,
  state: { value },
});
const save = (run: Pick<OpenRun, "folder" | "lock">, step: number, value = step) =>
  saveCheckpoint(run.folder, step, content(value), run.lock);
const names = () => readdirSync(join(folder, "checkpoints")).sort();

describe("by what right a process writes", () => {
  test("Slurm's own variables name a job for good, and how often it was begun", () => {
    const variables = { SLURM_JOB_ID: "41", SLURM_CLUSTER_NAME: "lab", SLURM_RESTART_COUNT: "2" };
    expect(leaseFromEnvironment(variables).claim).toEqual({ engine: "slurm", job: "lab/41", epoch: 2 });
    const task = { ...variables, SLURM_ARRAY_JOB_ID: "17", SLURM_ARRAY_TASK_ID: "3" };
    expect(leaseFromEnvironment(task).claim).toEqual(claim(2));
    expect(leaseFromEnvironment({ ...task, STATELAB_CLAIM: JSON.stringify(claim(5)) }).claim).toEqual(
      claim(5),
    );
    expect(leaseFromEnvironment({}).claim).toBeUndefined();
  });

  test.each(["", "{", '{"engine":"slurm","job":"1"}', '{"engine":"slurm","job":"1","epoch":-1}'])(
    "a claim of another form is refused: %s",
    (text) => expect(() => leaseFromEnvironment({ STATELAB_CLAIM: text })).toThrow(/^STATELAB_CLAIM/),
  );

  const here = hostname();
  // The owner: its pid is alive on this host, which means nothing for another one.
  test.each<[string, Partial<Claim> | undefined, string, Claim | undefined, string, boolean]>([
    ["a later epoch, of another host's", { epoch: 1 }, "elsewhere", claim(2), "", true],
    ["a later epoch, of a living one here", { epoch: 1 }, here, claim(2), "", true],
    ["the same epoch", { epoch: 1 }, "elsewhere", claim(1), "", false],
    ["an earlier epoch", { epoch: 1 }, "elsewhere", claim(0), "", false],
    ["an earlier epoch, whatever was said", { epoch: 1 }, "elsewhere", claim(0), "others", false],
    ["another job", { job: "lab/17_4" }, "elsewhere", claim(9), "", false],
    ["another engine", { engine: "bullmq" }, "elsewhere", claim(9), "", false],
    ["no claim", { epoch: 1 }, "elsewhere", undefined, "", false],
    ["none on either side", undefined, "elsewhere", undefined, "", false],
    ["a user's word", undefined, "elsewhere", undefined, "others", true],
    ["a user's word on who lives here", undefined, here, undefined, "others", false],
    ["an engine's word", { epoch: 1 }, "elsewhere", claim(0, { job: "lab/18_0" }), "m n", true],
    ["an engine's word on another", { epoch: 1 }, "elsewhere", claim(0, { job: "lab/18_0" }), "m", false],
  ])("%s", (_, held, host, own, word, may) => {
    const path = join(mkdtempSync(join(scratch, "lock-")), "run.lock");
    const owner = { pid: process.pid, host, since: "2026", command: "x", nonce: "n", processStart: null };
    writeFileSync(path, JSON.stringify({ ...owner, ...(held && { claim: claim(1, held) }) }));
    if (!may) {
      expect(() => takeLock(path, "x", standing(own, word))).toThrow(
        expect.objectContaining({ kind: "locked" }),
      );
      expect(ownerAt(path)?.nonce).toBe("n");
      return;
    }
    const lock = takeLock(path, "x", standing(own, word));
    expect([lock.before?.nonce, ownerAt(path)?.claim]).toEqual(["n", own]);
    expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
    lock.release();
  });

  test("an earlier epoch does not take the lock of a later one that died here", () => {
    const path = join(mkdtempSync(join(scratch, "lock-")), "run.lock");
    const owner = { pid: deadPid(), host: here, since: "2026", command: "x", nonce: "n", processStart: null };
    writeFileSync(path, JSON.stringify({ ...owner, claim: claim(2) }));
    expect(() => takeLock(path, "x", standing(claim(1)))).toThrow(/job lab\/17_3 of slurm, epoch 2/);
    takeLock(path, "x", standing(claim(3))).release();
  });
});

test("who is superseded can neither append, nor save, nor replace a file, and is told by whom", async () => {
  const first = await as(claim(0), () => createRun(folder, { seed: 1 }));
  first.metrics.append({ step: 1 });
  await save(first, 1);
  const second = (await as(claim(1), () => lockRun(folder))).open({
    dropFrom: (record) => (record as { step: number }).step > 1,
  });
  second.metrics.append({ step: 2, by: "second" });
  expect(() => first.metrics.append({ step: 2, by: "first" })).toThrow(LockLostError);
  await expect(save(first, 2)).rejects.toThrow(/epoch 1\)\. It stops; earlier saves are intact$/);
  await expect(writeConfig(folder, { seed: 2 }, first.lock)).rejects.toThrow(LockLostError);
  first.close(); // releases nothing: the lock is the second's
  await save(second, 2);
  expect(readLog(join(folder, "metrics.jsonl"))).toEqual([{ step: 1 }, { step: 2, by: "second" }]);
  expect(readFileSync(join(folder, "config.json"), "utf8")).toContain('"seed": 1');
  expect(names()).toEqual(["1", "2"]);
  second.lock.check();
  second.close();
  expect(readdirSync(folder).sort()).toEqual(["checkpoints", "config.json", "metrics.jsonl"]);
});

test("a lock that is deleted under its owner stops it", async () => {
  const run = await createRun(folder, { seed: 1 });
  rmSync(join(folder, "run.lock"));
  expect(() => run.metrics.append({ step: 1 })).toThrow("got none: it was removed");
  run.close();
});

test("a line that the one before was about to append goes into a file without a name", async () => {
  const first = await as(claim(0), () => createRun(folder, { seed: 1 }));
  first.metrics.append({ step: 1 });
  // It has checked the lock already: only the write follows.
  const check = vi.spyOn(first.lock, "check").mockImplementation(() => {});
  const second = (await as(claim(1), () => lockRun(folder))).open();
  second.metrics.append({ step: 2, by: "second" });
  first.metrics.append({ step: 2, by: "first" });
  expect(check).toHaveBeenCalled();
  expect(readLog(join(folder, "metrics.jsonl"))).toEqual([{ step: 1 }, { step: 2, by: "second" }]);
  second.close();
  first.close();
});

test("taken over before any operation of a save, what the successor found and made is what stays", async () => {
  let published = 0;
  let refused = 0;
  for (let point = 1; ; point++) {
    rmSync(folder, { recursive: true, force: true });
    const first = await as(claim(0), () => createRun(folder, { seed: 1 }));
    for (const step of [1, 2]) await save(first, step);
    let found: unknown;
    let came = false;
    disk.meanwhile = async () => {
      came = true;
      await as(claim(1), async () => {
        const second = await lockRun(folder);
        const newest = await latestCheckpoint(folder);
        found = newest && [newest.step, newest.state, newest.passedOver];
        await save(second, (newest?.step ?? 0) + 1, 100);
        second.release();
      });
    };
    disk.left = point;
    const outcome = await save(first, 3).then(
      () => "published",
      (error: unknown) => error,
    );
    disk.left = Number.POSITIVE_INFINITY;
    first.close();
    if (!came) break; // the save has fewer operations
    const after = await latestCheckpoint(folder);
    const [step] = found as [number];
    // The successor's own checkpoint is the newest, whole, and made of what it found.
    expect([after?.step, after?.state, after?.passedOver]).toEqual([step + 1, { value: 100 }, []]);
    if (step === 3) {
      published++; // then it was there before the successor looked
    } else {
      refused++;
      expect(outcome, `point ${point}`).toBeInstanceOf(LockLostError);
      expect(step).toBe(2);
    }
    expect(
      readdirSync(join(folder, "checkpoints")).filter((name) => name.includes("3.") && name.endsWith("tmp")),
    ).toEqual([]);
  }
  expect([refused > 8, published > 2]).toEqual([true, true]);
});
