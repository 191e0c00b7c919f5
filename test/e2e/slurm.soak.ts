import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { readAttempts } from "../../src/executors/attempts.ts";
import { openSubmission, readTickets, writeManifest } from "../../src/executors/manifest.ts";
import { slurm } from "../../src/executors/slurm.ts";
import { type Cluster, missing, startCluster } from "../../src/executors/slurm-cluster.test-helper.ts";
import type { AttemptRecord } from "../../src/schemas/submission.ts";
import { ownerAt } from "../../src/storage/index.ts";
import { linesIn, statelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, smallSavedEvery } from "../kit/trainings.ts";
import { until } from "../kit/until.ts";

if (missing !== undefined) console.warn(`skipped: the tests on a real Slurm: ${missing}`);

const small = process.env.SOAK_SLICE === "ci";
const root = tmpFolder("on-slurm");
const at = (...parts: string[]) => join(root, ...parts);

describe.skipIf(missing !== undefined)("on a real Slurm of six nodes", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(at("short.yaml"), smallSavedEvery(20, 10, 0));
    writeFileSync(at("middle.yaml"), smallSavedEvery(1500, 50, 0));
    writeFileSync(at("long.yaml"), smallSavedEvery(small ? 5_000 : 16_000, 50, 0));
    cluster = await startCluster({ nodes: 6 });
    Object.assign(process.env, cluster.environment, { XDG_STATE_HOME: at("state") });
  }, 120_000);
  afterAll(() => {
    cluster?.stop();
  }, 60_000);

  const sweep = (file: string, out: string, seeds: number, ...args: string[]) =>
    statelab(root, "sweep", file, "--seeds", String(seeds), "--out", out, ...args);
  const onSlurm = (file: string, out: string, seeds: number, ...args: string[]) =>
    sweep(file, out, seeds, "--executor", "slurm", "--max-workers", "4", "--detach", ...args);
  const submissions = (out: string) =>
    readdirSync(at(out, "submissions")).map((name) => openSubmission(at(out, "submissions", name)));
  const attempts = (out: string, index: number): AttemptRecord[] =>
    submissions(out).flatMap((submission) => readAttempts(submission, index));
  const logs = (out: string) =>
    submissions(out)
      .flatMap(({ folder }) =>
        readdirSync(join(folder, "logs")).map((name) => readFileSync(join(folder, "logs", name), "utf8")),
      )
      .join("\n");
  const isDone = (out: string, index: number) => attempts(out, index).some(({ kind }) => kind === "done");
  const lines = (out: string, seed: number) => linesIn(at(out, `seed-${seed}`, "metrics.jsonl"));
  const lockOf = (out: string, seed: number) => ownerAt(at(out, `seed-${seed}`, "run.lock"));
  const queue = () =>
    cluster.run("squeue", "--noheader", "--states=all", "--array", "-o", "%F_%K %T %N").trim().split("\n");
  const nodeOf = (task: string) =>
    queue()
      .find((line) => line.startsWith(`${task} RUNNING`))
      ?.split(" ")[2];

  /** Waits; the error of a wait in vain shows the queue and every attempt. */
  const wait = (holds: () => boolean, what: string, seconds = 60) =>
    until(holds, what, {
      seconds,
      saw: () => ({
        queue: queue(),
        attempts: readdirSync(root)
          .filter((out) => existsSync(at(out, "submissions")))
          .map((out) => [out, ...[0, 1, 2].map((index) => attempts(out, index))]),
      }),
    });

  /** Whether there still was such a process. */
  function reached(pid: number | undefined, signal: NodeJS.Signals): boolean {
    if (pid === undefined) return false;
    try {
      process.kill(pid, signal);
      return true;
    } catch {
      return false;
    }
  }

  /** What the kernel says of a process; nothing once it has ended. */
  function statusOf(pid: number): string {
    try {
      return readFileSync(`/proc/${pid}/status`, "utf8");
    } catch {
      return "";
    }
  }

  /** Holds a run until Slurm has sent it SIGTERM, so that a fast machine is not done before. */
  async function frozenUntilTerm(out: string): Promise<void> {
    await wait(() => lines(out, 0) > 60, "the run with a time limit");
    const pid = lockOf(out, 0)?.pid;
    if (pid === undefined || !reached(pid, "SIGSTOP")) {
      // Slurm was first. What the run came to, the test asks at its end.
      await wait(() => attempts(out, 0).length > 1, "a run that its limit stopped before it was held");
      return;
    }
    // The signal may have come between the look and the hold: then the process has ended and needs no SIGCONT.
    const pending = () => {
      const status = statusOf(pid);
      const [, waiting] = /^ShdPnd:\s*(\w+)/m.exec(status) ?? [];
      return waiting !== undefined && (BigInt(`0x${waiting}`) & (1n << 14n)) !== 0n; // signal 15
    };
    await wait(() => attempts(out, 0).length > 1 || pending(), "SIGTERM before the time limit");
    reached(pid, "SIGCONT");
  }

  test("an array of packed tasks, never more than were asked for at a time, is collected by the same command", async () => {
    const two = ["--executor", "slurm", "--max-workers", "2", "--tasks-per-job", "2", "--detach", "--json"];
    const submitted = await sweep("short.yaml", "array", 7, ...two);
    expect(submitted.code, submitted.stderr).toBe(0);
    expect(JSON.parse(submitted.stdout)).toMatchObject({ runs: 7, left: 7 });
    let most = 0;
    await wait(() => {
      most = Math.max(most, queue().filter((line) => line.includes(" RUNNING ")).length);
      return [0, 1, 2, 3, 4, 5, 6].every((index) => isDone("array", index));
    }, "seven runs");
    expect(most).toBeLessThanOrEqual(2);
    const hosts = [0, 1, 2, 3, 4, 5, 6].map((index) => attempts("array", index)[0]);
    const jobs = hosts.map((attempt) => attempt.kind === "begun" && attempt.job.replace(/^lab\/\d+_/, ""));
    expect(jobs).toEqual(["0", "0", "1", "1", "2", "2", "3"]);
    const ended = await onSlurm("short.yaml", "array", 7, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    const { runs } = JSON.parse(ended.stdout);
    expect(runs.map(({ state }: { state: string }) => state)).toEqual(Array(7).fill("done"));
    expect(submissions("array")).toHaveLength(1);
  }, 120_000);

  test.skipIf(small)(
    "doctor finds that it runs the lab, and that a running job begins again when it is queued again",
    async () => {
      const { code, stdout, stderr } = await statelab(root, "doctor --executor slurm --timeout 60 --json");
      expect(code, stdout + stderr).toBe(0);
      const { findings } = JSON.parse(stdout);
      expect(findings.map(({ ok }: { ok: boolean }) => ok)).toEqual(Array(10).fill(true));
      expect(readdirSync(root).filter((name) => name.startsWith(".statelab-doctor"))).toEqual([]);
      const wrong = await statelab(root, "doctor --executor slurm --partition none");
      expect(wrong.code).toBe(1);
      expect(wrong.stdout).toMatch(/job accepted +no +.*invalid partition/);
    },
    120_000,
  );

  test.skipIf(small)(
    "what is cancelled saves and is not queued again; the same command submits it again, and it goes on",
    async () => {
      await onSlurm("middle.yaml", "cancelled", 1);
      await wait(() => lines("cancelled", 0) > 120, "a run past its second checkpoint");
      expect((await statelab(root, "cluster cancel cancelled")).code).toBe(0);
      await wait(() => attempts("cancelled", 0).at(-1)?.kind === "stopped", "a run that has saved");
      await wait(() => !queue().some((line) => /RUNNING|COMPLETING|PENDING/.test(line)), "an empty queue");
      const again = await onSlurm("middle.yaml", "cancelled", 1, "--json");
      expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ left: 1 });
      await wait(() => isDone("cancelled", 0), "the run");
      const [, , second] =
        submissions("cancelled").length === 2
          ? attempts("cancelled", 0).toSorted((a, b) => (a.at < b.at ? -1 : 1))
          : [];
      expect(second?.kind === "begun" && second.step).toBeGreaterThan(100);
    },
    200_000,
  );

  test("a node that dies with its task, a node whose daemon alone dies, preemption and a controller that is killed: the runs are those of an undisturbed sweep, to the byte", async () => {
    const plain = sweep("long.yaml", "plain", 3, "--workers", "2");
    const submitted = await onSlurm("long.yaml", "hard", 3);
    // Slurm sends SIGTERM a minute before the limit, which is at once or half a minute later.
    const limited = await onSlurm("long.yaml", "limited", 1, "--time", "1");
    expect(limited.code, limited.stderr).toBe(0);
    const signalled = frozenUntilTerm("limited");
    expect(submitted.code, submitted.stderr).toBe(0);
    const [{ job }] = readTickets(submissions("hard")[0]);
    await wait(
      () => [0, 1, 2].every((seed) => lines("hard", seed) > 60),
      "three runs past their first checkpoint",
      120,
    );
    const [dying, zombie, preempted] = [0, 1, 2].map((task) => nodeOf(`${job}_${task}`));
    expect(new Set([dying, zombie, preempted, undefined]).size).toBe(4);
    // Node 1 is killed with its task. On node 2 only the daemon is killed: its task continues, and is frozen before Slurm notices
    // (SlurmdTimeout) and starts another, so that it can be inspected. Task 3 is preempted by a job of a partition with higher priority.
    const left = lockOf("hard", 1);
    const seen = lines("hard", 1);
    cluster.killDaemon(zombie!);
    await wait(() => lines("hard", 1) > seen + 1, "the run without a daemon");
    process.kill(left!.pid, "SIGSTOP");
    cluster.killNode(dying!);
    const urgent = ["-p", "high", "-w", preempted!, "--exclusive", "--output=/dev/null", "--wrap", "sleep 3"];
    cluster.run("sbatch", ...urgent);
    const epochs = (index: number) =>
      attempts("hard", index).flatMap((attempt) => (attempt.kind === "begun" ? [attempt.epoch] : []));
    await wait(() => epochs(1).length > 1, "the second run begun elsewhere", 120);
    expect(left?.claim?.epoch).toBe(0);
    await wait(() => lockOf("hard", 1)?.claim?.epoch === 1, "the lock to be taken over");
    process.kill(left!.pid, "SIGCONT"); // it wakes up while its successor works, and stops by itself
    await wait(
      () => /expected the lock that this process took, got (that of .* epoch 1|none)/.test(logs("hard")),
      `the zombie's last words in ${logs("hard")}`,
    );
    await wait(() => [0, 2].every((index) => epochs(index).length > 1), "all begun again", 120);
    await new Promise((resolve) => setTimeout(resolve, 8000)); // what it has not written down yet it would begin again with the same count
    cluster.killController();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    cluster.startController();
    await wait(() => [0, 1, 2].every((index) => isDone("hard", index)), "three runs", 240);
    const begun = [0, 1, 2].map(epochs);
    // Each was begun again by Slurm, with a higher epoch, and never from the start.
    for (const [first, second, ...more] of begun) {
      expect([first, second], JSON.stringify(begun)).toEqual([0, 1]);
      expect(more).toEqual(more.filter((epoch) => epoch >= 1).toSorted((a, b) => a - b));
    }
    for (const index of [0, 1, 2]) {
      const again = attempts("hard", index).filter(({ kind }) => kind === "begun")[1];
      expect(again.kind === "begun" && again.step).toBeGreaterThanOrEqual(50);
    }
    await signalled;
    await wait(() => isDone("limited", 0), "the run with a time limit", 240);
    const kinds = attempts("limited", 0).map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["begun", "stopped", "begun"]);
    expect(logs("limited")).toContain("saved before the time limit; requeued");
    const collected = await onSlurm("long.yaml", "hard", 3, "--json");
    expect(collected.code, collected.stderr).toBe(0);
    expect((await plain).code).toBe(0);
    expect(remains(at("limited", "seed-0"))).toEqual(remains(at("plain", "seed-0")));
    for (const seed of [0, 1, 2])
      expect(remains(at("hard", `seed-${seed}`)), `seed ${seed}`).toEqual(
        remains(at("plain", `seed-${seed}`)),
      );
  }, 900_000);

  test.skipIf(small)(
    "random kills of tasks, nodes, daemons and the controller: no run lost, none published twice, every bit as it was",
    async () => {
      const [kills, seeds] = [30, 3];
      const rng = rngFrom(22).fork("kills");
      const nodes = ["n1", "n2", "n3", "n4", "n5", "n6"];
      for (const node of nodes) cluster.startNode(node);
      const counts = { task: 0, node: 0, daemon: 0, controller: 0 };
      if (!existsSync(at("plain", `seed-${seeds - 1}`, "model.onnx"))) {
        const plain = await sweep("long.yaml", "plain", seeds);
        expect(plain.code, plain.stderr).toBe(0);
      }
      let killed = 0;
      let calls = 0;
      const all = Array.from({ length: seeds }, (_, index) => index);
      for (let round = 0; killed < kills; round++) {
        const out = `random-${round}`;
        await onSlurm("long.yaml", out, seeds);
        while (!all.every((index) => isDone(out, index))) {
          await new Promise((resolve) => setTimeout(resolve, 4000 + rng.next() * 6000));
          if (killed < kills) {
            const kind = (["task", "node", "daemon", "controller"] as const)[rng.below(4)];
            const node = nodes[rng.below(nodes.length)];
            if (kind === "task") {
              // A lock may be of one whose node was killed, or who has just ended.
              if (!all.some((seed) => reached(lockOf(out, seed)?.pid, "SIGKILL"))) continue;
            } else if (kind === "controller") {
              cluster.killController();
              await new Promise((resolve) => setTimeout(resolve, 1000));
              cluster.startController();
            } else {
              if (kind === "node") cluster.killNode(node);
              else cluster.killDaemon(node);
              await new Promise((resolve) => setTimeout(resolve, 2000));
              cluster.startNode(node);
            }
            counts[kind]++;
            killed++;
          }
          // What Slurm gives up (a task that was killed) the command submits again when it is called.
          const { code, stderr } = await onSlurm("long.yaml", out, seeds);
          expect([0, 1], stderr).toContain(code);
          calls++;
        }
        console.log(`${killed} kills, ${calls} calls: ${JSON.stringify(counts)}`);
        const collected = await onSlurm("long.yaml", out, seeds, "--json");
        expect(collected.code, collected.stderr).toBe(0);
        for (const seed of all) {
          expect(attempts(out, seed).filter(({ kind }) => kind === "done")).toHaveLength(1);
          expect(remains(at(out, `seed-${seed}`)), `seed ${seed}`).toEqual(
            remains(at("plain", `seed-${seed}`)),
          );
        }
      }
    },
    1_800_000,
  );

  test.skipIf(small)(
    "measured: empty tasks a second",
    async () => {
      const made = await writeManifest(at("rates"), {
        ...{ created: "2026", statelab: "0", engine: "slurm", command: [], gone: [] },
        work: Array.from({ length: 400 }, (_, i) => ({
          folder: `${i}`,
          work: { kind: "probe" as const, seconds: 0 },
        })),
      });
      mkdirSync(join(made.folder, "logs"));
      // Six places at once would be what bounds it: an empty job takes three quarters of a second from place to place.
      const wide = await startCluster({ nodes: 4, cpus: 8 });
      Object.assign(process.env, wide.environment);
      const began = performance.now();
      const empty = {
        atMost: 400,
        pack: 1,
        program: ["/bin/true"],
        cache: at("squeue.json"),
        everySeconds: 0,
      };
      const engine = slurm(empty);
      await engine.submit(made);
      for (;;) {
        const there = await engine.poll(made);
        if (there?.size === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 2000)); // each look costs the controller something, too
      }
      const rate = (400 * 1000) / (performance.now() - began);
      console.log(`Slurm, 32 places on this host: ${rate.toFixed(1)} empty tasks a second`);
      Object.assign(process.env, cluster.environment);
      wide.stop();
      expect(rate).toBeGreaterThan(10);
    },
    300_000,
  );
});
