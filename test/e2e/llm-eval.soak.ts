import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverThat } from "../../src/eval/endpoints/server.test-helper.ts";
import { AnswerRecord, AskResults, SampleRecord } from "../../src/schemas/eval.ts";
import { readLog } from "../../src/storage/index.ts";
import { linesIn, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { faultyServer, killedRuns, startAsk } from "./llm-eval.test-helper.ts";

const root = tmpFolder("ask-soak");
const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");
const small = process.env.SOAK_SLICE === "ci";

const all = small ? 500 : 10_000;
const shares = small ? [0.12, 0.36, 0.66] : [0.1, 0.2, 0.3, 0.5, 0.55, 0.7, 0.85, 0.95];

test(`${all} requests at 64 with faults and ${shares.length} kills: no sample is lost or counted twice, and the files are an uninterrupted run's to the byte`, async () => {
  const faulty = faultyServer(40);
  const { behaves, answers } = faulty;
  const server = await serverThat(behaves);
  const call = (folder: string) => [
    ...words(`--bench parity --set programs=${all / 4} --set length=64 --samples 4 --server-seed 0`),
    ...words(`--temperature 0.5 --max-retries 30 --retry-delay 0.01`),
    ...words(`--base-url ${server.url} --model m --max-requests 64`),
    "--out",
    folder,
    "--json",
  ];
  const whole = join(root, "whole");
  const first = await startAsk(call(whole)).ended;
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr.replaceAll(",", "")).toContain(`${all} of ${all} answered`);
  expect(first.stderr).not.toContain("Warning"); // Node's own, of many that listen to one signal
  expect([...answers.values()]).toEqual(Array.from({ length: all }, () => 1));
  const { asked } = JSON.parse(first.stdout);
  expect(asked).toMatchObject({ samples: all, answered: all, kept: 0, left: {} });
  expect(asked.retries).toBe(asked.requests - all);
  expect(asked.retries).toBeGreaterThan(50);

  answers.clear();
  const killed = join(root, "killed");
  const last = await killedRuns(
    call(killed),
    killed,
    shares.map((share) => Math.round(share * all)),
  );
  expect(last.code).toBe(0);
  for (const name of ["samples.jsonl", "results.json", "report.html"])
    expect(read(killed, name) === read(whole, name), name).toBe(true);
  // Every kill repeats what was in flight and no more.
  const repeated = [...answers.values()].reduce((sum, count) => sum + count, 0) - all;
  expect([answers.size, repeated <= shares.length * 64]).toEqual([all, true]);
  const log = readLog(join(killed, "answers.jsonl"), AnswerRecord);
  expect(new Set(log.map(({ key }) => key)).size).toBe(log.length);
  expect(log).toHaveLength(all);

  const samples = readLog(join(whole, "samples.jsonl"), SampleRecord);
  const names = samples.map(({ sample }) => sample);
  expect(names).toEqual([...new Set(names)].sort());
  const results = AskResults.parse(JSON.parse(read(whole, "results.json")));
  const { correct, wrong, unreadable, unanswered, programs } = results.arms[0];
  const counted = (verdict: string) => samples.filter((sample) => sample.verdict === verdict).length;
  expect([correct, wrong, unreadable]).toEqual(["correct", "wrong", "unreadable"].map(counted));
  expect([programs, correct + wrong + unreadable, unanswered]).toEqual([all / 4, all, 0]);
  expect(faulty.faults).toBeGreaterThan(100);

  // A half last line is asked again, and nothing else; the end is the same once more.
  const before = server.asked.length;
  appendFileSync(join(killed, "answers.jsonl"), `{"version":1,"key":"ab`);
  expect((await startAsk(call(killed)).ended).code).toBe(0);
  expect(server.asked.length).toBe(before);
  expect(read(killed, "samples.jsonl") === read(whole, "samples.jsonl")).toBe(true);
  await server.close();
});

test("50,000 samples take less than 500 MB, and their report is no larger than that of a few", async () => {
  const samples = small ? 5_000 : 50_000;
  const script = join(root, "script.jsonl");
  const long = "and so on ".repeat(200);
  writeFileSync(
    script,
    `${JSON.stringify({ replies: [`0\n[/ANSWER]${long}`, `1\n[/ANSWER]${long}`, long] })}\n`,
  );
  const folder = join(root, "large");
  const run = startAsk([
    ...words(
      `--bench parity --set programs=${samples / 10} --set length=64 --samples 10 --answers ${script}`,
    ),
    ...words("--max-requests 64 --out"),
    folder,
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
    `${samples} samples: ${most.toFixed(0)} MB at most, report ${statSync(join(folder, "report.html")).size} bytes`,
  );
  expect([code, linesIn(join(folder, "samples.jsonl"))]).toEqual([0, samples]);
  if (process.platform === "linux") expect(most).toBeGreaterThan(20);
  expect(most).toBeLessThan(500);
  expect(statSync(join(folder, "report.html")).size).toBeLessThan(1_000_000);
});
