import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { serverThat } from "../../src/eval/endpoints/server.test-helper.ts";
import { AnswerRecord, AskResults, SampleRecord } from "../../src/schemas/eval.ts";
import { faultyServer, killedRuns, linesIn, startAsk } from "./ask.test-helper.ts";

const root = tmpFolder("ask-soak");
const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");
const small = process.env.SOAK_SLICE === "ci";

test("500 requests at 64 with faults and three kills: no sample is lost or counted twice, and the files are an uninterrupted run's to the byte", async () => {
  const faulty = faultyServer(40);
  const { behaves, answers } = faulty;
  const server = await serverThat(behaves);
  const call = (folder: string) => [
    ...[
      "--bench",
      "parity",
      "--set",
      "programs=125",
      "--samples",
      "4",
      "--server-seed",
      "0",
      "--temperature",
      "0.5",
    ],
    ...[
      "--base-url",
      server.url,
      "--model",
      "m",
      "--concurrency",
      "64",
      "--max-retries",
      "20",
      "--back-off",
      "0.01",
    ],
    ...["--out", folder, "--json"],
  ];
  const whole = join(root, "whole");
  const first = await startAsk(call(whole)).ended;
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("500 of 500 answered")]);
  expect(first.stderr).not.toContain("Warning"); // Node's own, of many that listen to one signal
  expect([...answers.values()]).toEqual(Array.from({ length: 500 }, () => 1));
  const { asked } = JSON.parse(first.stdout);
  expect(asked).toMatchObject({ samples: 500, answered: 500, kept: 0, left: {} });
  expect(asked.retries).toBe(asked.requests - 500);
  expect(asked.retries).toBeGreaterThan(50);

  answers.clear();
  const killed = join(root, "killed");
  const last = await killedRuns(call(killed), killed, [60, 180, 330]);
  expect(last.code).toBe(0);
  for (const name of ["samples.jsonl", "results.json", "report.html"])
    expect(read(killed, name) === read(whole, name), name).toBe(true);
  // Every kill repeats what was in flight and no more.
  const repeated = [...answers.values()].reduce((sum, count) => sum + count, 0) - 500;
  expect([answers.size, repeated <= 3 * 64]).toEqual([500, true]);
  const log = read(killed, "answers.jsonl")
    .trim()
    .split("\n")
    .map((line) => AnswerRecord.parse(JSON.parse(line)));
  expect(new Set(log.map(({ key }) => key)).size).toBe(log.length);
  expect(log).toHaveLength(500);

  const samples = read(whole, "samples.jsonl")
    .trim()
    .split("\n")
    .map((line) => SampleRecord.parse(JSON.parse(line)));
  const names = samples.map(({ sample }) => sample);
  expect(names).toEqual([...new Set(names)].sort());
  const results = AskResults.parse(JSON.parse(read(whole, "results.json")));
  const { correct, wrong, unreadable, unanswered, programs } = results.arms[0];
  const counted = (verdict: string) => samples.filter((sample) => sample.verdict === verdict).length;
  expect([correct, wrong, unreadable]).toEqual(["correct", "wrong", "unreadable"].map(counted));
  expect([programs, correct + wrong + unreadable, unanswered]).toEqual([125, 500, 0]);
  expect(faulty.faults).toBeGreaterThan(100);

  // A half last line is asked again, and nothing else; the end is the same once more.
  const before = server.asked.length;
  appendFileSync(join(killed, "answers.jsonl"), `{"version":1,"key":"ab`);
  expect((await startAsk(call(killed)).ended).code).toBe(0);
  expect(server.asked.length).toBe(before);
  expect(read(killed, "samples.jsonl") === read(whole, "samples.jsonl")).toBe(true);
  await server.close();
});

test.skipIf(small)(
  "10,000 requests at 64 with faults and kills: the files are an uninterrupted run's to the byte",
  async () => {
    const all = 10_000;
    const faulty = faultyServer(5);
    const server = await serverThat(faulty.behaves);
    const call = (folder: string) => [
      ...[
        "--bench",
        "parity",
        "--set",
        `programs=${all / 4}`,
        "--set",
        "length=64",
        "--samples",
        "4",
        "--server-seed",
        "0",
      ],
      ...[
        "--base-url",
        server.url,
        "--model",
        "m",
        "--concurrency",
        "64",
        "--max-retries",
        "30",
        "--back-off",
        "0.01",
      ],
      ...["--out", folder],
    ];
    try {
      const [whole, killed] = [join(root, "whole"), join(root, "killed")];
      expect((await startAsk(call(whole)).ended).code).toBe(0);
      expect([faulty.answers.size, Math.max(...faulty.answers.values())]).toEqual([all, 1]);
      faulty.answers.clear();
      const kills = [0.1, 0.2, 0.3, 0.5, 0.55, 0.7, 0.85, 0.95].map((share) => Math.round(share * all));
      expect((await killedRuns(call(killed), killed, kills)).code).toBe(0);
      for (const name of ["samples.jsonl", "results.json"])
        expect(readFileSync(join(killed, name)).equals(readFileSync(join(whole, name))), name).toBe(true);
      const answered = [...faulty.answers.values()].reduce((sum, count) => sum + count, 0);
      expect([faulty.answers.size, answered - all <= kills.length * 64]).toEqual([all, true]);
      expect(linesIn(join(killed, "answers.jsonl"))).toBe(all);
    } finally {
      await server.close();
    }
  },
);

test("50,000 samples take less than 500 MB, and their report is no larger than that of a few", async () => {
  const all = small ? 5_000 : 50_000;
  const script = join(root, "script.jsonl");
  const long = "and so on ".repeat(200);
  writeFileSync(
    script,
    `${JSON.stringify({ replies: [`0\n[/ANSWER]${long}`, `1\n[/ANSWER]${long}`, long] })}\n`,
  );
  const folder = join(root, "large");
  const run = startAsk([
    ...["--bench", "parity", "--set", `programs=${all / 10}`, "--set", "length=64", "--samples", "10"],
    ...["--endpoint", `scripted:${script}`, "--concurrency", "64", "--out", folder],
  ]);
  let most = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${run.process.pid}/status`, "utf8");
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // it has ended
    }
  }, 100);
  const { code } = await run.ended;
  clearInterval(watch);
  console.log(
    `${all} samples: ${most.toFixed(0)} MB at most, report ${statSync(join(folder, "report.html")).size} bytes`,
  );
  expect([code, linesIn(join(folder, "samples.jsonl"))]).toEqual([0, all]);
  if (process.platform === "linux") expect(most).toBeGreaterThan(20);
  expect(most).toBeLessThan(500);
  expect(statSync(join(folder, "report.html")).size).toBeLessThan(1_000_000);
});
