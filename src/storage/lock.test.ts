import { execFile, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bundle } from "../../test/kit/bundle.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { isHeld, ownerAt, takeLock } from "./lock.ts";
import { contender } from "./lock-contender.test-helper.ts";

const scratch = tmpFolder("lock");
let path = "";
beforeEach(() => {
  path = join(mkdtempSync(join(scratch, "x-")), "run.lock");
});
const deadPid = () => spawnSync(process.execPath, ["-e", "0"]).pid;
const ownerWith = (changes: object) => ({
  pid: process.pid,
  host: hostname(),
  since: "2026-01-01T00:00:00.000Z",
  command: "statelab train x.yaml",
  nonce: "n",
  processStart: null,
  ...changes,
});

test("a living owner is named with process, host, time and command, and keeps the lock", () => {
  writeFileSync(path, JSON.stringify(ownerWith({})));
  expect(() => takeLock(path)).toThrow(
    expect.objectContaining({
      kind: "locked",
      message: `${path}: expected no other writer, got process ${process.pid} on ${hostname()} since 2026-01-01T00:00:00.000Z (statelab train x.yaml)`,
    }),
  );
  expect(ownerAt(path)?.nonce).toBe("n");
});

test("the lock that was copied with the folder of a living run is named as the file to delete", () => {
  const lock = takeLock(path);
  const copy = join(mkdtempSync(join(scratch, "copy-")), "run.lock");
  copyFileSync(path, copy);
  const link = join(scratch, "linked");
  symlinkSync(join(path, ".."), link);
  try {
    expect(() => takeLock(copy)).toThrow(
      `took the lock at ${path}: if this folder is a copy, delete ${copy}`,
    );
    expect(() => takeLock(path)).toThrow(/expected no other writer, got process \d+ on .*\)$/); // no word of a copy
    expect(() => takeLock(join(link, "run.lock"))).toThrow(/got process \d+ on .*\)$/);
  } finally {
    lock.release();
  }
});

test("a lock is released once, and only by its owner", () => {
  const lock = takeLock(path);
  expect(ownerAt(path)?.pid).toBe(process.pid);
  lock.release();
  expect(existsSync(path)).toBe(false);
  const other = takeLock(path);
  lock.release();
  expect(existsSync(path)).toBe(true);
  other.release();
});

test("the lock of a dead process is taken over, and nothing but the new lock stays", () => {
  writeFileSync(path, JSON.stringify(ownerWith({ pid: deadPid() })));
  const lock = takeLock(path);
  expect(ownerAt(path)?.pid).toBe(process.pid);
  expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
  lock.release();
});

test.skipIf(process.platform !== "linux")(
  "the lock of a killed process whose parent has not asked for its end is taken over",
  async () => {
    // The shell starts one that ends, and becomes another that asks about no child.
    const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"]);
    try {
      const pid = Number(String(await new Promise((resolve) => parent.stdout.once("data", resolve))));
      const fields = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      writeFileSync(path, JSON.stringify(ownerWith({ pid, processStart: fields()[19] })));
      expect(() => takeLock(path)).toThrow("expected no other writer");
      while (fields()[0] !== "Z") await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isHeld(path)).toBe(false);
      takeLock(path).release();
    } finally {
      parent.kill("SIGKILL");
    }
  },
);

test("the lock of a dead process on another host is not taken over: it cannot be known to be dead", () => {
  writeFileSync(path, JSON.stringify(ownerWith({ pid: deadPid(), host: "elsewhere" })));
  expect(() => takeLock(path)).toThrow(/on elsewhere .*If that process is gone, add --force-unlock/);
});

test.runIf(process.platform === "linux")(
  "a living process that only has the dead owner's number is not the owner",
  () => {
    writeFileSync(path, JSON.stringify(ownerWith({ processStart: "1" })));
    takeLock(path).release();
  },
);

test("a process that ends without releasing leaves no lock behind", () => {
  const url = new URL("./lock.ts", import.meta.url).href;
  const program = `const { takeLock } = await import(${JSON.stringify(url)}); takeLock(${JSON.stringify(path)}); process.exit(3);`;
  const { status } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
  expect([status, existsSync(path)]).toEqual([3, false]);
});

const contending = bundle(contender);

test("of four processes that take over each other's dead locks 300 times, never two hold one at once", async () => {
  const folder = join(path, "..");
  const run = (times: number) =>
    new Promise<{ taken: string; complaint: string; signal: unknown }>((resolve) => {
      const child = execFile(
        process.execPath,
        [contending, folder, String(times)],
        { timeout: 50_000, killSignal: "SIGINT" },
        (_, taken, complaint) => resolve({ taken, complaint, signal: child.signalCode }),
      );
    });
  const ended = await Promise.all([60, 70, 80, 90].map(run));
  expect(ended).toEqual(
    ["60", "70", "80", "90"].map((taken) => ({ taken, complaint: "", signal: "SIGKILL" })),
  );
});
