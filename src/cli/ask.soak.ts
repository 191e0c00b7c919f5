import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { serverThat } from "../eval/server.test-helper.ts";
import { faultyServer, killedRuns, linesIn, startAsk } from "./ask.test-helper.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-ask-soak-"));
afterAll(() => rmSync(root, { recursive: true }));
const small = process.env.SOAK_SLICE === "ci";

test("10,000 requests at 64 with faults and kills: the files are an uninterrupted run's to the byte", async () => {
  const all = small ? 1_000 : 10_000;
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
});

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
