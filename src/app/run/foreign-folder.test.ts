import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { analyseFolder } from "../analyze/folder.ts";
import { exportTo } from "../export/index.ts";
import { importRun } from "../import/run.ts";
import { gatherRuns } from "../report/load-runs.ts";
import { listAgents } from "../studio/episodes.ts";
import { evalSamples, listEvals } from "../studio/evals.ts";
import { folderTar, listRuns } from "../studio/runs.ts";
import { evaluateRun } from "./evaluate.ts";
import { exportFolder } from "./export.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("foreign");
const { signal } = new AbortController();
const [good, run, victim] = ["good", "run", "victim"].map((name) => join(root, name));

/** Everything below a folder, as text. */
const contentOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "latin1")])
    .sort();

beforeAll(async () => {
  const config = RunConfig.parse({
    task: { name: "repl", commands: 4 },
    model: { name: "deltanet", layers: 1, width: 8, betaMax: 1, convolution: 0 },
    train: { steps: 4, batch: 4 },
    checkpointEvery: 2,
    evaluate: { examples: 2, settings: [{ spacing: 2 }] },
  });
  await trainRun(good, config, { signal });
});

beforeEach(() => {
  for (const folder of [run, victim]) rmSync(folder, { recursive: true, force: true });
  cpSync(good, run, { recursive: true });
  for (const year of ["2019", "2020", "2021"]) {
    mkdirSync(join(victim, year), { recursive: true });
    writeFileSync(join(victim, year, "photo"), "precious");
  }
  for (const name of ["config.json", "metrics.csv", "a.jsonl"])
    writeFileSync(join(victim, name), '{"precious":1}\n');
  writeFileSync(join(victim, "empty"), "");
});

function linked(name: string, target: string): void {
  const path = join(run, name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

const asked = { programs: 10, seed: 0, only: ["beta"], command: "", tick: async () => {} } as const;

const commands = {
  resume: () => resumeRun(run, { signal, settings: ["train.steps=6"] }),
  evaluate: () => evaluateRun({ folder: run, signal, programs: 2 }),
  export: () => exportFolder({ folder: run }),
  "export --to hf": () => exportTo({ folder: run, form: "hf" }),
  "export --to csv": () => exportTo({ folder: run, form: "csv" }),
  analyse: () => analyseFolder(run, { ...asked, settings: [] }),
  report: () => gatherRuns([run]),
} as const;

const links: readonly (readonly [name: string, to: string])[] = [
  ["export/hf", ""],
  ["export/csv", ""],
  ["export", ""],
  ["evaluations", ""],
  ["evaluation.json", "config.json"],
  ["tested.jsonl", "empty"],
  ["tested.jsonl", "made-by-it"],
  ["metrics.jsonl", "a.jsonl"],
  ["checkpoints", ""],
  ["checkpoints/2", "2019"],
  ["checkpoints/4/model.safetensors", "empty"],
  ["analysis", ""],
  ["analysis/figures", ""],
  ["own", "2020"],
  ["measured", ""],
  ["stream/blocks", ""],
  ["run.lock", "made-by-it"],
  [".gone.tmp", "2021"],
];

test.each(links)(
  "%s linked to %s outside: refused by every command, and nothing there changes",
  async (name, to) => {
    linked(name, join(victim, to));
    const before = contentOf(victim);
    for (const [command, work] of Object.entries(commands))
      await expect(work(), command).rejects.toMatchObject({
        kind: "corrupt",
        message: expect.stringContaining(`${join(run, name)}: expected no link out of its folder`),
      });
    expect(contentOf(victim)).toEqual(before);
  },
);

test("a link with .. in it, one through another link, and one in a folder of the user's own making are found", async () => {
  linked("export/csv", "../../victim");
  await expect(commands["export --to csv"]()).rejects.toThrow("a link to");
  rmSync(join(run, "export"), { recursive: true });
  symlinkSync("../victim", join(run, "notes"));
  symlinkSync("notes", join(run, "analysis"));
  await expect(commands.analyse()).rejects.toThrow("a link to");
});

test("a link to the run's folder itself, and one that stays in it, are followed", async () => {
  const named = join(root, "named");
  symlinkSync(run, named);
  symlinkSync("4", join(run, "checkpoints", "last"));
  await evaluateRun({ folder: named, signal, programs: 2 });
  expect(existsSync(join(run, "evaluation.json"))).toBe(true);
  rmSync(named);
});

test
  .runIf(process.platform !== "win32")
  .each(["metrics.jsonl", "config.json", "tested.jsonl", "run.lock", "checkpoints/4/state.json"])(
  "a FIFO in the place of %s is refused by every command, and by the studio, without waiting",
  async (name) => {
    rmSync(join(run, name), { force: true });
    execFileSync("mkfifo", [join(run, name)]);
    for (const [command, work] of Object.entries(commands))
      await expect(work(), command).rejects.toThrow(
        `${join(run, name)}: expected a regular file, got "a FIFO"`,
      );
    const lines = await listRuns(root);
    expect(lines.find((line) => line.name === "run")?.problem).toContain("a FIFO");
    expect(lines.find((line) => line.name === "good")?.state).toBe("finished");
    await expect(folderTar(root, "run")).rejects.toThrow("a FIFO");
  },
);

test.runIf(process.platform !== "win32")("import reads no FIFO for a file of a checkpoint", async () => {
  const { files } = await exportTo({ folder: run, form: "hf" });
  const checkpoint = dirname(files[0]);
  writeFileSync(join(root, "for.yaml"), "task: { name: repl, commands: 4 }\nmodel: { name: gru }\n");
  for (const name of ["config.json", "tokenizer.json", "model.safetensors"]) {
    const path = join(checkpoint, name);
    const bytes = readFileSync(path);
    rmSync(path);
    execFileSync("mkfifo", [path]);
    await expect(
      importRun({
        checkpoint,
        file: join(root, "for.yaml"),
        settings: [],
        folder: join(root, "imported"),
        overwrite: false,
      }),
    ).rejects.toThrow("expected a regular file");
    rmSync(path);
    writeFileSync(path, bytes);
  }
});

test("an asking and a folder of episodes that lead elsewhere are not read by the studio", async () => {
  writeFileSync(join(victim, "secret.json"), '{"secret":1}');
  const asking = join(root, "asking");
  const episodes = join(root, "episodes");
  for (const [folder, names] of [
    [asking, ["results.json", "samples.jsonl"]],
    [episodes, ["config.json", "ledger.jsonl", "results.json"]],
  ] as const) {
    mkdirSync(folder);
    for (const name of names) symlinkSync(join(victim, "secret.json"), join(folder, name));
  }
  const said = JSON.stringify([await listEvals(root), await listAgents(root)]);
  expect(said).toContain("a link to");
  expect(said).not.toContain('secret\\\\\\":1');
  await expect(evalSamples(root, "asking", {})).rejects.toThrow("expected no link out of its folder");
  for (const folder of [asking, episodes]) rmSync(folder, { recursive: true });
});

const at = (...names: string[]) => join(run, ...names);
/** The commands that open the checkpoint. */
const { report: _, "export --to csv": __, ...reading } = commands;

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
    const { resume: _, ...opening } = reading;
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
    for (const [name, read] of Object.entries(reading)) await expect(read(), name).rejects.toThrow(words);
  },
);

test.each([1_000_000_000, 1, 7])(
  "a stage %d that the curriculum has not is named with its line",
  async (stage) => {
    writeFileSync(
      at("metrics.jsonl"),
      readFileSync(at("metrics.jsonl"), "utf8").replaceAll('"stage":0', `"stage":${stage}`),
    );
    await expect(commands.report()).rejects.toMatchObject({
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
  await expect(commands.report()).rejects.toThrow(/line 1: expected stage to be at least 0, got -1/);
});

test("a sparse file of 6 GB is refused by its size", async () => {
  for (const name of ["config.json", "metrics.jsonl"]) {
    cpSync(join(good, name), at(name));
    truncateSync(at(name), 6e9);
    await expect(commands.report(), name).rejects.toThrow(/expected at most \d+ bytes, got 6000000000/);
    cpSync(join(good, name), at(name));
  }
  rmSync(at("checkpoints", "2"), { recursive: true }); // to which they would fall back
  for (const name of ["model.safetensors", "state.json", "SHA256SUMS"]) {
    const path = at("checkpoints", "4", name);
    truncateSync(path, 6e9);
    for (const [reader, read] of Object.entries(reading))
      await expect(read(), reader).rejects.toThrow(/expected at most 2147483647 bytes, got 6000000000/);
    cpSync(join(good, "checkpoints", "4", name), path);
  }
});

test.each(["100000000000000000000000", "9007199254740993"])(
  "a checkpoint that is named %s is refused by its name",
  async (name) => {
    renameSync(at("checkpoints", "4"), at("checkpoints", name));
    for (const [reader, read] of Object.entries(reading))
      await expect(read(), reader).rejects.toMatchObject({
        kind: "corrupt",
        message: expect.stringContaining("expected a checkpoint named by its step"),
      });
  },
);
