/** End to end: what a researcher relies on when a run is interrupted, copied, or somebody else's. */

import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { startStatelab, statelab, untilLonger } from "../kit/cli.ts";

const root = tmpFolder("trust");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);

const config = `
task: { name: parity, length: 8 }
model: { name: gru, layers: 1, width: 8 }
train: { steps: 20, batch: 4 }
evaluate: { programs: 20, tests: [{ length: 12 }, { length: 16 }] }
checkpointEvery: 10
`;

beforeAll(async () => {
  writeFileSync(at("run.yaml"), config);
  const { code, stderr } = await run("train", "run.yaml", "--out", "whole");
  expect(code, stderr).toBe(0);
}, 60_000);

test("what diverges in its last step exits with 1, prints no result, and is not evaluated", async () => {
  const set = ["--set", "train.learningRate=1e38", "--set", "train.steps=1", "--set", "train.warmupSteps=0"];
  const trained = await run("train", "run.yaml", "--out", "diverged", ...set);
  expect([trained.code, trained.stdout]).toEqual([1, ""]);
  expect(trained.stderr).toMatch(/^statelab: train, step 1: expected a finite /m);
  const { code, stdout } = await run("evaluate", "diverged");
  expect([code, stdout]).toEqual([2, ""]);
  const set2 = ["train.learningRate=0.001", "train.steps=2"].flatMap((each) => ["--set", each]);
  expect((await run("resume", "diverged", ...set2)).code).toBe(0);
});

test("resume tells of lines that the log has lost, and goes on", async () => {
  cpSync(at("whole"), at("lost"), { recursive: true });
  rmSync(at("lost", "metrics.jsonl"));
  const { code, stderr } = await run("resume", "lost", "--set", "train.steps=22");
  expect(code).toBe(0);
  expect(stderr).toContain("lost/metrics.jsonl: the lines of steps 1 to 20 are missing");
});

test("Ctrl-C after the last step is no interruption", async () => {
  // Big enough for the export to take a while after the last line of the log.
  const big = ["model.width=256", "model.layers=3", "train.steps=4", "train.batch=2"].flatMap((each) => [
    "--set",
    each,
  ]);
  const { process: child, ended } = startStatelab(root, "train", "run.yaml", "--out", "late", ...big);
  await untilLonger(at("late", "metrics.jsonl"), 3);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  expect(stdout, stderr).toContain("late: 4 steps done");
  expect(code).toBe(0);
  expect(existsSync(at("late", "model.safetensors"))).toBe(true);
});

test("the copy of a living run names the lock to delete, and goes on without it", async () => {
  const { process: child, ended } = startStatelab(
    root,
    ...["train", "run.yaml", "--out", "living", "--set", "train.steps=1000000"],
  );
  await untilLonger(at("living", "metrics.jsonl"), 30);
  child.kill("SIGSTOP"); // what is replaced while it is copied, cpSync does not find any more
  cpSync(at("living"), at("copy"), { recursive: true });
  child.kill("SIGCONT");
  const { code, stderr } = await run("resume", "copy", "--set", "checkpointEvery=5");
  child.kill("SIGKILL");
  await ended;
  expect(code).toBe(4);
  const [, lock] = /: if this folder is a copy, delete (\S+)$/m.exec(stderr) ?? [];
  expect(lock, stderr).toBe("copy/run.lock");
  rmSync(at(lock));
  const { steps } = JSON.parse(readFileSync(at("copy", "config.json"), "utf8")).train;
  expect(steps).toBe(1_000_000);
});
