import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missing, type RedisServer, startRedis } from "../../packages/redis/redis-server.test-helper.ts";
import { type Rng, rngFrom } from "../../src/core/rng.ts";
import {
  chatReply,
  json,
  promptOf,
  type Server,
  serverThat,
} from "../../src/eval/endpoints/server.test-helper.ts";
import { readAttempts } from "../../src/executors/attempts.ts";
import { openSubmission } from "../../src/executors/manifest.ts";
import type { AttemptRecord } from "../../src/schemas/submission.ts";
import { ownerAt } from "../../src/storage/index.ts";
import { linesIn, startStatelab, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { remains, smallSavedEvery } from "../kit/trainings.ts";
import { until } from "../kit/until.ts";
import { childrenOf, type Lent, lendMachine } from "./redis-workers.test-helper.ts";

if (missing !== undefined) console.warn(`skipped: the tests of work through a real Redis: ${missing}`);

const small = process.env.SOAK_SLICE === "ci";
const data = process.env.STATELAB_DATA ?? "../shared/data";
const cruxeval = join(data, "cruxeval", "cruxeval.jsonl");
const root = tmpFolder("on-redis");
const at = (...parts: string[]) => join(root, ...parts);
const leaseSeconds = 2;

describe.skipIf(missing !== undefined)("through a real Redis", () => {
  let server: RedisServer;
  const lent = new Set<Lent>();
  beforeAll(async () => {
    server = await startRedis();
    process.env.XDG_STATE_HOME = at("state");
    writeFileSync(at("long.yaml"), smallSavedEvery(small ? 800 : 2500, 25, 0));
  });
  afterEach(() => {
    for (const each of lent) each.kill();
    lent.clear();
  });
  afterAll(async () => {
    await server?.stop();
  });

  const lend = (slots: number) => {
    const machine = lendMachine(root, server.url, slots, leaseSeconds);
    lent.add(machine);
    return machine;
  };
  const sweep = (out: string, seeds: number, ...args: string[]) =>
    statelab(root, `sweep long.yaml --seeds ${seeds} --out`, out, ...args);
  const onRedis = (out: string, seeds: number, ...args: string[]) =>
    sweep(out, seeds, "--executor", server.url, "--max-workers", "8", ...args);
  const submissions = (out: string) =>
    readdirSync(at(out, "submissions")).map((name) => openSubmission(at(out, "submissions", name)));
  const attempts = (out: string, index: number): AttemptRecord[] =>
    submissions(out).flatMap((submission) => readAttempts(submission, index));
  const epochs = (out: string, index: number) =>
    attempts(out, index).flatMap((attempt) => (attempt.kind === "begun" ? [attempt.epoch] : []));
  const isDone = (out: string, index: number) => attempts(out, index).some(({ kind }) => kind === "done");
  const lines = (out: string, seed: number) => linesIn(at(out, `seed-${seed}`, "metrics.jsonl"));
  const seconds = (seconds: number) => ({
    seconds,
    saw: () => [0, 1, 2].map((seed) => ({ lines: lines("hard", seed), attempts: attempts("hard", seed) })),
  });
  const holder = (out: string, seed: number) => ownerAt(at(out, `seed-${seed}`, "run.lock"));
  const machineOf = (pid: number) => [...lent].find((machine) => machine.processes().includes(pid));

  /** Each was published once, by one process: what is there is what one would have written. */
  const expectSame = (out: string, seeds: number) => {
    for (let seed = 0; seed < seeds; seed++)
      expect(remains(at(out, `seed-${seed}`)), `seed ${seed}`).toEqual(remains(at("plain", `seed-${seed}`)));
  };

  test("a worker killed with its task, one frozen that wakes up beside its successor, Redis killed and back: the runs are those of an undisturbed sweep, to the byte", async () => {
    const plain = sweep("plain", 3, "--workers", "2");
    for (const _ of [0, 1, 2]) lend(1);
    const submitted = await onRedis("hard", 3, "--detach", "--json");
    expect(submitted.code, submitted.stderr).toBe(0);
    expect(JSON.parse(submitted.stdout)).toMatchObject({ runs: 3, left: 3 });
    await until(() => [0, 1, 2].every((seed) => lines("hard", seed) > 30), "three runs", seconds(240));
    const [killed, frozen] = [0, 1].map((seed) => machineOf(holder("hard", seed)!.pid)!);
    const left = holder("hard", 1)!;
    killed.kill();
    lent.delete(killed);
    frozen.freeze();
    for (const _ of [0, 1]) lend(1);
    await until(() => holder("hard", 1)?.claim?.epoch === 2, "the frozen run taken over", seconds(120));
    expect(left.claim?.epoch).toBe(1);
    frozen.wake();
    await until(
      () => !childrenOf(frozen.pid).includes(left.pid),
      "the end of the process that woke up",
      seconds(60),
    );
    await until(() => epochs("hard", 0).length > 1, "the killed run begun again", seconds(120));
    await server.kill();
    const before = lines("hard", 2);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const goesOn = lines("hard", 2) > before || isDone("hard", 2);
    await server.start();
    const collected = await onRedis("hard", 3, "--json");
    expect(collected.code, collected.stderr).toBe(0);
    expect(goesOn, "a run goes on while Redis is away").toBe(true);
    expect([0, 1].map((index) => epochs("hard", index).slice(0, 2))).toEqual([
      [1, 2],
      [1, 2],
    ]);
    const begun = attempts("hard", 0).filter(({ kind }) => kind === "begun");
    expect(begun[1].kind === "begun" && begun[1].step).toBeGreaterThanOrEqual(25);
    expect((await plain).code).toBe(0);
    expectSame("hard", 3);
  });

  test("doctor finds the workers, and that one of them sees the folder and runs this version", async () => {
    lend(1);
    const { code, stdout, stderr } = await statelab(
      root,
      `doctor --executor ${server.url} --timeout 60 --json`,
    );
    expect(code, stdout + stderr).toBe(0);
    const { findings } = JSON.parse(stdout);
    expect(findings.map(({ ok }: { ok: boolean }) => ok)).toEqual(Array(findings.length).fill(true));
    expect(findings.length).toBeGreaterThanOrEqual(6);
    expect(readdirSync(root).filter((name) => name.startsWith(".statelab-doctor"))).toEqual([]);
    const none = await statelab(root, "doctor --executor redis://127.0.0.1:1 --timeout 1");
    expect([none.code, none.stdout]).toEqual([1, expect.stringMatching(/it answers +no +.*ECONNREFUSED/)]);
  });

  test("questions on two workers with a common limit: one is killed, and none is asked twice but those in flight", async () => {
    const [programs, perMinute, concurrency] = small ? [240, 2400, 4] : [2000, 6000, 4];
    const times: number[] = [];
    const asked = new Map<string, number>();
    const endpoint: Server = await serverThat((one, response, count, request) => {
      times.push(performance.now());
      const prompt = promptOf(one);
      asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
      setTimeout(() => json(chatReply("1"))(one, response, count, request), 30);
    });
    try {
      const call = [
        ...words(`llm eval --bench parity --set programs=${programs} --base-url ${endpoint.url} --model m`),
        ...words(`--max-requests ${concurrency} --per-minute ${perMinute} --executor ${server.url}`),
        ...words(`--max-workers 2 --shard-size ${programs / 4} --out asked --json`),
      ];
      const machines = [lend(1), lend(1)];
      const asking = startStatelab(root, ...call);
      await until(() => times.length > programs / 6, "the first questions", {
        seconds: 120,
        saw: () => times.length,
      });
      machines[0].kill();
      lent.delete(machines[0]);
      lend(1);
      const { code, stdout, stderr } = await asking.ended;
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).asked).toMatchObject({ samples: programs, answered: programs });
      // Of these programs some are alike: what was asked more often than there are programs was asked twice.
      const twice = times.length - programs;
      expect(twice).toBeGreaterThanOrEqual(0);
      expect(twice).toBeLessThanOrEqual(concurrency);
      const again = [...asked.values()].reduce((sum, count) => sum + count - 1, 0);
      expect(again).toBeGreaterThanOrEqual(twice);
      // Each pace is even: in any five seconds no more than the limit, and the first request of every process.
      const window = 5000;
      const most = Math.max(
        ...times.map((from) => times.filter((time) => time >= from && time < from + window).length),
      );
      expect(most).toBeLessThanOrEqual((perMinute * window) / 60_000 + 4);
      console.log(`questions: ${times.length} requests, ${twice} twice, at most ${most} in 5 s`);
    } finally {
      await endpoint.close();
    }
  });

  test.skipIf(!existsSync(cruxeval))(
    "CRUXEval traced by four workers has the bytes of one process (skipped without STATELAB_DATA)",
    async () => {
      mkdirSync(at("data", "cruxeval"), { recursive: true });
      cpSync(cruxeval, at("data", "cruxeval", "cruxeval.jsonl"));
      const rows = readFileSync(cruxeval, "utf8").split("\n").slice(0, 40).join("\n");
      writeFileSync(at("few.jsonl"), `${rows}\n`);
      const what = small ? ["--functions", "few.jsonl"] : ["cruxeval"];
      for (let i = 0; i < 4; i++) lend(1);
      const trace = (out: string, ...args: string[]) =>
        statelab(root, "data trace", ...what, "--out", out, "--json", ...args);
      const on = [...words(`--executor ${server.url} --max-workers 4 --shard-size`), small ? "5" : "40"];
      const shared = await trace("shared", ...on);
      expect(shared.code, shared.stderr).toBe(0);
      const alone = await trace("alone");
      expect(alone.code, alone.stderr).toBe(0);
      for (const file of ["traces.jsonl", "traces.parquet", "README.md"])
        expect(readFileSync(at("shared", file)).equals(readFileSync(at("alone", file))), file).toBe(true);
      const { seconds: _, ...coverage } = JSON.parse(readFileSync(at("shared", "coverage.json"), "utf8"));
      expect(JSON.parse(readFileSync(at("alone", "coverage.json"), "utf8"))).toMatchObject(coverage);
      expect(coverage.calls).toBe(small ? 40 : 800);
    },
  );

  test.skipIf(small)(
    "random kills of tasks, workers and Redis: no run lost, none published twice, every bit as it was",
    async () => {
      const kills = small ? 8 : 80;
      const seeds = small ? 3 : 6;
      const rng: Rng = rngFrom(24).fork("kills");
      if (!existsSync(at("plain", `seed-${seeds - 1}`, "model.onnx"))) {
        const plain = await sweep("plain", seeds, "--workers", "2");
        expect(plain.code, plain.stderr).toBe(0);
      }
      const counts = { task: 0, worker: 0, frozen: 0, redis: 0 };
      let killed = 0;
      let round = 0;
      let again = 0;
      for (; killed < kills; round++) {
        const out = `random-${round}`;
        const machines = new Set([lend(2), lend(1)]);
        const running = startStatelab(
          root,
          `sweep long.yaml --seeds ${seeds} --out`,
          out,
          ...words(`--executor ${server.url} --max-workers 8`),
        );
        let over = false;
        const ended = running.ended.then((end) => {
          over = true;
          return end;
        });
        while (!over && killed < kills) {
          await new Promise((resolve) => setTimeout(resolve, 500 + rng.next() * 2500));
          if (over) break;
          const kind = (["task", "worker", "frozen", "redis"] as const)[rng.below(4)];
          const machine = [...machines][rng.below(machines.size)];
          if (kind === "task") {
            const [pid] = childrenOf(machine.pid);
            if (pid === undefined) continue;
            process.kill(pid, "SIGKILL");
          } else if (kind === "worker") {
            machine.kill();
            machines.delete(machine);
            lent.delete(machine);
            machines.add(lend(1 + rng.below(2)));
          } else if (kind === "frozen") {
            machine.freeze();
            await new Promise((resolve) => setTimeout(resolve, leaseSeconds * 1000 * (1 + rng.next())));
            machine.wake();
          } else {
            await server.kill();
            await new Promise((resolve) => setTimeout(resolve, rng.next() * 1500));
            await server.start();
          }
          counts[kind]++;
          killed++;
        }
        let end = await ended;
        // A task that died three times without progress is reported as failed; the next call tries it again.
        for (let call = 0; end.code !== 0 && call < 5; call++, again++) end = await onRedis(out, seeds);
        expect(end.code, end.stderr).toBe(0);
        for (const machine of machines) {
          await machine.end();
          lent.delete(machine);
        }
        expectSame(out, seeds);
        const done = submissions(out).flatMap((submission) =>
          Array.from({ length: submission.header.tasks }, (_, index) =>
            readAttempts(submission, index).filter(({ kind }) => kind === "done"),
          ),
        );
        expect(done.flat()).toHaveLength(seeds);
        rmSync(at(out), { recursive: true, maxRetries: 5 });
      }
      console.log(
        `${killed} kills in ${round} sweeps of ${seeds} runs: ${JSON.stringify(counts)}; called again ${again} times`,
      );
      expect(killed).toBe(kills);
    },
  );
});
