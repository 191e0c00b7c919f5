import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { analyseFolder } from "../analyze/folder.ts";
import { exportTo } from "../export/index.ts";
import { gatherRuns } from "../report/load-runs.ts";
import { evaluateRun } from "./evaluate.ts";
import { exportFolder } from "./export.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("absurd");
const { signal } = new AbortController();
const [good, run] = ["good", "run"].map((name) => join(root, name));
const at = (...names: string[]) => join(run, ...names);

beforeAll(async () => {
  const config = RunConfig.parse({
    task: { name: "repl", commands: 4 },
    model: { name: "deltanet", layers: 1, width: 8, betaMax: 1, convolution: 0 },
    train: { steps: 4, batch: 4 },
    evaluate: { examples: 2, settings: [{ spacing: 2 }] },
  });
  await trainRun(good, config, { signal });
});
beforeEach(() => {
  rmSync(run, { recursive: true, force: true });
  cpSync(good, run, { recursive: true });
});

const asked = {
  settings: [],
  programs: 10,
  seed: 0,
  only: ["beta"],
  command: "",
  tick: async () => {},
} as const;
const readers = {
  evaluate: () => evaluateRun({ folder: run, signal, programs: 2 }),
  analyse: () => analyseFolder(run, asked),
  export: () => exportFolder({ folder: run }),
  "export --to hf": () => exportTo({ folder: run, form: "hf" }),
  resume: () => resumeRun(run, { signal, settings: ["train.steps=6"] }),
} as const;
const report = () => gatherRuns([run]);

/** config.json, with what this changes of it. */
function configured(change: (config: Record<string, Record<string, unknown>>) => void): void {
  const config = JSON.parse(readFileSync(at("config.json"), "utf8"));
  change(config);
  writeFileSync(at("config.json"), JSON.stringify(config));
}

test.each([
  ["width", 1e9],
  ["width", 16],
  ["layers", 2000],
  ["feedForward", 1e12],
  ["convolution", 1e9],
])(
  "a model of %s %d that is not that of the checkpoint is refused by whatever opens it",
  async (key, value) => {
    configured(({ model }) => {
      model[key] = value;
    });
    const { resume: _, ...opening } = readers;
    for (const [name, read] of Object.entries(opening))
      await expect(read(), name).rejects.toMatchObject({
        kind: "corrupt",
        message: expect.stringMatching(/as the checkpoint has it, got/),
      });
  },
);

test.each([
  [
    "100,000 stages",
    ({ curriculum }) => (curriculum.stages = new Array(100_000).fill([{}])),
    /stages to be at most 1000/,
  ],
  [
    "100,000 changes",
    ({ curriculum }) => (curriculum.stages = [new Array(100_000).fill({})]),
    /at most 1000/,
  ],
  [
    "100,000 tests",
    ({ evaluate }) => (evaluate.settings = new Array(100_000).fill({})),
    /settings to be at most 1000/,
  ],
  ["10^12 programs", ({ evaluate }) => (evaluate.examples = 1e12), /examples to be at most 10000000/],
  [
    "10^9 held-out programs",
    ({ train }) => Object.assign(train, { evaluateEvery: 1, validationExamples: 1e9 }),
    /validationExamples to be at most 100000/,
  ],
  ["a batch of 10^12", ({ train }) => (train.batch = 1e12), /batch|memory/],
] satisfies [string, (config: Record<string, Record<string, unknown>>) => void, RegExp][])(
  "a configuration with %s is refused in one sentence",
  async (_, change, words) => {
    configured(change);
    for (const [name, read] of Object.entries(readers)) await expect(read(), name).rejects.toThrow(words);
  },
);

test.each([1_000_000_000, 1, 7])(
  "a stage %d that the curriculum has not is named with its line",
  async (stage) => {
    writeFileSync(
      at("metrics.jsonl"),
      readFileSync(at("metrics.jsonl"), "utf8").replaceAll('"stage":0', `"stage":${stage}`),
    );
    await expect(report()).rejects.toMatchObject({
      kind: "corrupt",
      message: expect.stringContaining(
        `metrics.jsonl, line 1: expected a stage below 1, as the curriculum has them, got ${stage}`,
      ),
    });
  },
);

test("a stage below 0 is none", async () => {
  writeFileSync(
    at("metrics.jsonl"),
    readFileSync(at("metrics.jsonl"), "utf8").replace('"stage":0', '"stage":-1'),
  );
  await expect(report()).rejects.toThrow(/line 1: expected stage to be at least 0, got -1/);
});

test("a sparse file of 6 GB is refused by its size", async () => {
  for (const name of ["config.json", "metrics.jsonl"]) {
    cpSync(join(good, name), at(name));
    truncateSync(at(name), 6e9);
    await expect(report(), name).rejects.toThrow(/expected at most \d+ bytes, got 6000000000/);
    cpSync(join(good, name), at(name));
  }
  for (const name of ["model.safetensors", "state.json", "SHA256SUMS"]) {
    const path = at("checkpoints", "4", name);
    truncateSync(path, 6e9);
    for (const [reader, read] of Object.entries(readers))
      await expect(read(), reader).rejects.toThrow(/expected at most 2147483647 bytes, got 6000000000/);
    cpSync(join(good, "checkpoints", "4", name), path);
  }
});

test.each(["100000000000000000000000", "9007199254740993"])(
  "a checkpoint that is named %s is refused by its name",
  async (name) => {
    renameSync(at("checkpoints", "4"), at("checkpoints", name));
    for (const [reader, read] of Object.entries(readers))
      await expect(read(), reader).rejects.toMatchObject({
        kind: "corrupt",
        message: expect.stringContaining("expected a checkpoint named by its step"),
      });
  },
);
