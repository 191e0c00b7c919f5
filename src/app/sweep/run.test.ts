import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { LabError } from "../../core/error.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { takeLock } from "../../storage/index.ts";
import type { RunJob } from "../run/execute.ts";
import type { TestSummary } from "../run/results.ts";
import type { SweepRun } from "./plan.ts";
import { type RunSweepOptions, runSweep } from "./run.ts";

const scratch = tmpFolder("engine");

const config = RunConfig.parse({ task: { name: "repl" }, model: { name: "lstm" } });
const tested = (accuracy: number, programs = 4): TestSummary => ({
  change: { spacing: 4 },
  wanted: 4,
  programs,
  reveals: programs,
  accuracy,
  accuracyLast: accuracy / 2,
  accuracyByReveal: [],
  references: { exactBayes: 1 },
});
const planned = (name: string, seed: number, known?: SweepRun["known"]): SweepRun => ({
  setting: { name, changes: { "model.width": name } },
  seed,
  folder: join(name, `seed-${seed}`),
  config: { ...config, seed },
  done: 0,
  known,
});

/** Another engine: no processes, no folders; `answers` says what becomes of each run. */
async function sweepWith(
  runs: readonly SweepRun[],
  answers: Readonly<Record<string, number | Error>>,
  change: Partial<RunSweepOptions> = {},
) {
  const folder = mkdtempSync(join(scratch, "x-"));
  const taken: RunJob[] = [];
  const record = await runSweep(runs, {
    folder,
    jobs: 2,
    overwrite: false,
    signal: new AbortController().signal,
    execute: async (job) => {
      taken.push(job);
      const answer = answers[job.folder];
      if (typeof answer !== "number") throw answer;
      return { results: [tested(answer)] };
    },
    ...change,
  });
  expect(JSON.parse(readFileSync(join(folder, "sweep.json"), "utf8"))).toEqual(
    JSON.parse(JSON.stringify(record)),
  );
  expect(existsSync(join(folder, "sweep.lock"))).toBe(false);
  return { record, taken };
}

test("another engine can take the workers' place: it is told folder and configuration, once for each run that is left", async () => {
  const runs = [planned("a", 0), planned("a", 1, [tested(0.25)]), planned("b", 0)];
  const { record, taken } = await sweepWith(runs, { "a/seed-0": 0.75, "b/seed-0": 1 });
  expect(taken).toEqual(
    [runs[0], runs[2]].map(({ folder, config: own }) => ({ folder, config: own, overwrite: false })),
  );
  expect(record.runs.map(({ folder, state }) => `${folder} ${state}`)).toEqual([
    "a/seed-0 done",
    "a/seed-1 done",
    "b/seed-0 done",
  ]);
  expect(record.table.map(({ setting, seeds, accuracy }) => [setting, seeds, accuracy?.mean])).toEqual([
    ["a", [0, 1], 0.5],
    ["b", [0], 1],
  ]);
});

test("a failed run leaves the mean to the others, and a setting without a finished run has no line", async () => {
  const runs = [planned("a", 0), planned("a", 1), planned("b", 0)];
  const { record } = await sweepWith(runs, {
    "a/seed-0": new LabError("train, step 3: expected a finite loss"),
    "a/seed-1": 0.5,
    "b/seed-0": new Error("worker 7 was killed by SIGKILL"),
  });
  expect(record.runs).toMatchObject([
    { state: "failed", failure: "train, step 3: expected a finite loss" },
    { state: "done" },
    { state: "failed", failure: "worker 7 was killed by SIGKILL" },
  ]);
  expect(record.table).toMatchObject([{ setting: "a", seeds: [1], accuracy: { mean: 0.5 } }]);
});

test("a folder in which another sweep works is left to it", async () => {
  const folder = mkdtempSync(join(scratch, "taken-"));
  const lock = takeLock(join(folder, "sweep.lock"), "statelab sweep other.yaml");
  await expect(sweepWith([planned("a", 0)], {}, { folder })).rejects.toThrow(
    /sweep\.lock: expected no other writer, got process .*statelab sweep other\.yaml/,
  );
  lock.release();
});

test("the end of a run that could not be written says so", async () => {
  const ends: unknown[] = [];
  await sweepWith(
    [planned("a", 0)],
    { "a/seed-0": new LabError("a/log: expected room on the disk, got none left", "unwritable") },
    { onEnd: (_run, how, _words, mistake) => ends.push([how, mistake]) },
  );
  expect(ends).toEqual([["failed", "unwritable"]]);
});

test("after a signal what is done is kept and the rest is stopped, in sweep.json too", async () => {
  const controller = new AbortController();
  const { record } = await sweepWith(
    [planned("a", 0), planned("a", 1)],
    {},
    {
      jobs: 1,
      signal: controller.signal,
      execute: async () => {
        controller.abort();
        return { results: [tested(1)] };
      },
    },
  );
  expect(record.runs.map(({ state }) => state)).toEqual(["done", "stopped"]);
});

test("a setting whose programs were all trained on has a line that says so", async () => {
  const { record } = await sweepWith([planned("a", 0, [tested(0, 0)])], {});
  expect(record.table).toEqual([{ setting: "a", change: expect.anything(), seeds: [], references: {} }]);
});
