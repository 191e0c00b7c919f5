/** @file The programs that the docs name read what a run and its exports hold: every number is compared with ours. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readResults } from "../../src/app/run/results.ts";
import { trainRun } from "../../src/app/run/train.ts";
import { decodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { RunConfig, StepRecord } from "../../src/schemas/run-config.ts";
import { readLog } from "../../src/storage/index.ts";
import { main, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const root = tmpFolder("python-exports");
const run = join(root, "run");
const signal = new AbortController().signal;
const config = RunConfig.parse({
  task: { name: "repl", commands: 4, spacing: 2 },
  model: { name: "deltanet", layers: 2, width: 8, heads: 2 },
  train: { steps: 120, batch: 4, evaluateEvery: 110, validationExamples: 10 },
  evaluate: { examples: 10, settings: [{}, { commands: 6 }] },
  checkpointEvery: 50,
});

function read(name: string, folder: string, ...command: readonly string[]) {
  const { stdout, stderr } = python([here("exports.py"), name, folder, ...command]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1)!); // below its progress bars
}

beforeAll(async () => {
  await trainRun(run, config, { signal });
  await succeed(root, "evaluate run");
  for (const form of ["csv", "parquet"]) await succeed(root, `export run --to ${form}`);
}, 60_000);

describe.each(["pandas", "polars", "duckdb", "datasets"])("%s", (name) => {
  test.skipIf(!isInstalled(name, "pyarrow"))(
    "reads the tables",
    async () => {
      if (name === "datasets")
        for (const format of ["jsonl", "parquet"])
          await succeed(
            root,
            `generate repl --count 12 --set commands=4 --format ${format} --out run/${format}`,
          );
      const { texts, asked, ...tables } = read(name, run);
      const steps = readLog(join(run, "metrics.jsonl"), StepRecord);
      const tested = readResults(run);
      for (const form of ["metrics.jsonl", "metrics.csv", "metrics.parquet"]) {
        expect(tables[form].loss, form).toEqual(steps.map(({ loss }) => loss));
        expect(tables[form].heldOut, form).toEqual(steps.flatMap(({ heldOut }) => heldOut ?? []));
      }
      for (const form of ["csv", "parquet"]) {
        expect(tables[`answers.${form}`].correct.join("")).toBe(tested.flatMap(({ hits }) => hits).join(""));
        expect(tables[`summary.${form}`].accuracy).toEqual(tested.map(({ accuracy }) => accuracy));
      }
      if (name !== "datasets") return;
      const lines = readFileSync(join(run, "jsonl", "train.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(texts.jsonl.train).toEqual(lines.map((line) => JSON.parse(line).text));
      expect(texts.parquet).toEqual(texts.jsonl);
      const last = lines.map((line) => {
        const { text, reveals } = JSON.parse(line);
        const { start, value } = reveals.at(-1);
        return { prompt: text.slice(0, start), target: value };
      });
      const wanted = [last.map(({ prompt }) => prompt), last.map(({ target }) => target)];
      expect(asked).toEqual([wanted, wanted]);
    },
    60_000,
  );
});

test.skipIf(!isInstalled("tensorboard"))(
  "TensorBoard shows a training while it runs, and no step twice after steps were lost",
  async () => {
    await trainRun(join(root, "live"), config, { signal, log: "tensorboard", until: 60 });
    rmSync(join(root, "live", "checkpoints", "60"), { recursive: true });
    const resume = [process.execPath, main, "train", "--resume", join(root, "live"), "--log", "tensorboard"];
    const [before, after] = read("tensorboard", join(root, "live"), ...resume);
    const steps = readLog(join(root, "live", "metrics.jsonl"), StepRecord);
    const losses = steps.map(({ step, loss }) => [step, Math.fround(loss)]);
    expect(before.map(([step]: [number]) => step)).toEqual(losses.slice(0, 60).map(([step]) => step));
    expect(after).toEqual(losses);
  },
  60_000,
);

test.skipIf(!isInstalled("tensorboard"))(
  "TensorBoard's HPARAMS groups the seeds of a sweep",
  async () => {
    const yaml =
      "{ task: { name: parity, length: 4 }, model: { name: deltanet, width: 8, heads: 2 }, train: { steps: 3, batch: 2 }, evaluate: { examples: 4 } }";
    const file = join(root, "small.yaml");
    writeFileSync(file, yaml);
    await succeed(root, "sweep small.yaml --grid model.betaMax=1,2 --seeds 2 --log tensorboard --out swept");
    expect(read("hparams", join(root, "swept")).toSorted()).toEqual([
      [1, 2],
      [2, 2],
    ]);
  },
  60_000,
);

test.skipIf(!isInstalled("onnxruntime", "safetensors"))(
  "ONNX Runtime computes what the activations hold, and step by step the same as at once",
  async () => {
    await succeed(root, "export run --to activations --programs 5");
    const { step, residual, scale } = read("onnxruntime", run);
    expect(Math.max(step, residual)).toBeLessThan(1e-4);
    expect(scale).toBeGreaterThan(0.5);
    const path = join(run, "model.safetensors");
    const { tensors } = decodeSafetensors(readFileSync(path), path);
    const ours = Object.entries(tensors).map(([name, { shape, data }]) => [
      name,
      [shape, [...(data as Float32Array)]],
    ]);
    expect(read("safetensors", run)).toEqual(Object.fromEntries(ours));
  },
  60_000,
);

test.skipIf(!isInstalled("pylatexenc"))(
  "a parser of LaTeX reads the table, with the names as they are",
  async () => {
    const names = ["--name", "50 % of_{all} & #1 \\ ~x^2 [$]"];
    await succeed(root, "export run --to latex --out tex", ...names);
    const [environment, text] = read("pylatexenc", join(root, "tex"));
    expect(environment).toBe("tabular");
    expect(text).toContain(names[1]);
  },
);
