import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { bundle } from "../../test/kit/bundle.ts";
import { main } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import type { Execute, Outcome } from "./pool.ts";
import type { Behaviour } from "./worker.test-helper.ts";

const folder = tmpFolder("jobs");
/** Of the build, whose processes start without the loader of TypeScript, which takes a second each. */
const fork = createRequire(main).resolve("../executors/fork.js");
const { inChildProcess }: typeof import("./fork.ts") = await import(fork);
const { runJobs }: typeof import("./pool.ts") = await import(fork.replace("fork", "pool"));
const entry = pathToFileURL(bundle(fileURLToPath(new URL("./worker.test-helper.ts", import.meta.url))));
const lines = (path: string) => readFileSync(path, "utf8").trim().split("\n");

const child = (graceSeconds = 20, reuse = false): Execute<Behaviour, { at: number }, unknown> =>
  inChildProcess({
    entry,
    environment: { THREADS: "1" },
    ...{ graceSeconds, reuse },
  });

test("every job gets its outcome in its place, whatever happened to the others", async () => {
  const heard: number[] = [];
  const jobs: Behaviour[] = [
    { name: "a", does: "crash" },
    { name: "b", does: "square", n: 3 },
    { name: "c", does: "kill itself" },
    { name: "d", does: "mistake" },
    { name: "e", does: "fault" },
  ];
  const ended: string[] = [];
  const outcomes = await runJobs(jobs, child(), {
    atMost: 2,
    onProgress: (_, { at }) => heard.push(at),
    onEnd: ({ name }, { kind }) => ended.push(`${name} ${kind}`),
  });
  expect(outcomes).toEqual([
    {
      kind: "failed",
      failure: expect.objectContaining({ message: expect.stringMatching(/exit code 7[\s\S]*out of paper/) }),
    },
    { kind: "done", result: { square: 9, threads: "1" } },
    {
      kind: "failed",
      failure: expect.objectContaining({ message: expect.stringMatching(/killed by SIGKILL/) }),
    },
    { kind: "failed", failure: { message: "config.yaml: expected width, got none", mistake: "corrupt" } },
    {
      kind: "failed",
      failure: {
        message: "undefined is not a model",
        stack: expect.stringContaining("worker.test-helper.ts"),
      },
    },
  ] satisfies Outcome<unknown>[]);
  expect(heard).toEqual([0, 1, 2]);
  expect(ended.sort()).toEqual(["a failed", "b done", "c failed", "d failed", "e failed"]);
});

test("a process takes the next job after a success, never after a failure, and ends without one", async () => {
  const journal = join(folder, "reused");
  const square = { does: "square", n: 1, journal } as const;
  const jobs: Behaviour[] = [
    ...["a", "b"].map((name) => ({ ...square, name })),
    { name: "c", does: "mistake", journal },
    ...["d", "e"].map((name) => ({ ...square, name })),
  ];
  const outcomes = await runJobs(jobs, child(20, true), { atMost: 1 });
  const done = { kind: "done", result: { square: 1, threads: "1" } };
  expect(outcomes).toEqual([done, done, expect.objectContaining({ kind: "failed" }), done, done]);
  const begun = lines(journal).filter((line) => line.startsWith("+"));
  const [a, b, c, d, e] = begun.map((line) => Number(line.split(":")[1]));
  expect([b, c, e]).toEqual([a, a, d]);
  expect(d).not.toBe(a);
  await vi.waitFor(() => expect(() => process.kill(e, 0)).toThrow(/ESRCH/), { timeout: 20_000 });
});

test("when one of two jobs at work ends, the next in the queue begins", async () => {
  const end = new Map<string, () => void>();
  const wait: Execute<string, never, string> = (job) =>
    new Promise((resolve) => end.set(job, () => resolve(job.toUpperCase())));
  const done = runJobs(["a", "b", "c", "d"], wait, { atMost: 2 });
  const begun = async (...jobs: string[]) => vi.waitFor(() => expect([...end.keys()]).toEqual(jobs));
  await begun("a", "b");
  end.get("b")?.();
  await begun("a", "b", "c");
  end.get("a")?.();
  await begun("a", "b", "c", "d");
  for (const job of ["d", "c"]) end.get(job)?.();
  expect(await done).toEqual(["A", "B", "C", "D"].map((result) => ({ kind: "done", result })));
});

test("when stopped, a running job saves before it ends and a waiting one is never begun", async () => {
  const journal = join(folder, "stopped");
  const controller = new AbortController();
  const jobs = ["a", "b", "c"].map((name): Behaviour => ({ name, does: "wait", journal }));
  let begun = 0;
  const outcomes = await runJobs(jobs, child(), {
    atMost: 2,
    signal: controller.signal,
    onProgress: () => ++begun === 2 && controller.abort(),
  });
  expect(outcomes).toEqual([{ kind: "stopped" }, { kind: "stopped" }, { kind: "stopped" }]);
  expect(
    lines(journal)
      .filter((line) => line.startsWith("saved"))
      .sort(),
  ).toEqual(["saved a", "saved b"]);
  expect(lines(journal).some((line) => line.startsWith("+c"))).toBe(false);
});

test.each(["ignore stop", "hang in a loop"] as const)(
  "a job that does %s is killed after the time of grace",
  async (does) => {
    const controller = new AbortController();
    const started = performance.now();
    const outcomes = await runJobs([{ name: "deaf", does }], child(0.5), {
      atMost: 1,
      signal: controller.signal,
      onProgress: () => setTimeout(() => controller.abort(), 100),
    });
    expect(outcomes).toEqual([{ kind: "stopped" }]);
    expect(performance.now() - started).toBeLessThan(20_000);
  },
);

test("a worker does not outlive a parent that is killed, and saves before it ends", async () => {
  const journal = join(folder, "orphan");
  const program = `
    const [{ inChildProcess }, { runJobs }] = [await import("${fork}"), await import("${fork.replace("fork", "pool")}")];
    await runJobs([{ name: "orphan", does: "wait", journal: "${journal}" }], inChildProcess({ entry: new URL("${entry}"), execArgv: [] }), {
      atMost: 1, onProgress: () => process.stdout.write("begun\\n") });`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => parent.stdout.once("data", resolve));
  const pid = Number(lines(journal)[0].split(":")[1]);
  expect(() => process.kill(pid, 0)).not.toThrow();
  parent.kill("SIGKILL");
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), { timeout: 20_000 });
  expect(lines(journal)[1]).toBe("saved orphan");
});

test("an execute function that is no process at all serves as well", async () => {
  const double: Execute<number, string, number> = async (n, onProgress) => {
    onProgress(`doubling ${n}`);
    return 2 * n;
  };
  const heard: string[] = [];
  const outcomes = await runJobs([1, 2], double, {
    atMost: 5,
    onProgress: (n, text) => heard.push(`${n} ${text}`),
  });
  expect(outcomes).toEqual([
    { kind: "done", result: 2 },
    { kind: "done", result: 4 },
  ]);
  expect(heard).toEqual(["1 doubling 1", "2 doubling 2"]);
});
