import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { readLog } from "../../storage/index.ts";
import { openTrainedRun } from "./open.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("budgets");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const configWith = (budgets: readonly number[]) =>
  RunConfig.parse({
    task: { name: "parity", length: 6 },
    model: { name: "gru", layers: 1, width: 8 },
    train: {
      steps: budgets.at(-1),
      batch: 4,
      warmupSteps: 2,
      schedule: "wsd-s",
      decayCheckpoints: budgets,
      decayFraction: 0.5,
    },
    evaluate: { examples: 10 },
    checkpointEvery: 3,
  });
const plan = configWith([4, 8, 16]);

const recordsOf = (name: string) =>
  readLog(at(name, "metrics.jsonl"), StepRecord).map(({ seconds: _, ...record }) => record);
const checkpoints = (name: string) =>
  readdirSync(at(name, "checkpoints"))
    .map(Number)
    .sort((a, b) => a - b);
const weights = (name: string, ...parts: string[]) => readFileSync(at(name, ...parts, "model.safetensors"));

test("a checkpoint is kept at each budget besides the newest two, and can be opened", async () => {
  await trainRun(at("whole"), plan, { signal });
  expect(checkpoints("whole")).toEqual([4, 8, 15, 16]);
  expect((await openTrainedRun(at("whole"), { step: 8 })).step).toBe(8);
  const rates = recordsOf("whole").map(({ learningRate }) => learningRate / 0.003);
  expect(rates.map((rate) => Number(rate.toFixed(6)))).toEqual([
    ...[0.5, 1, 0.181818, 0.1], // warm-up, then 1 / rate from 1 to 10 in two steps
    ...[1, 1, 0.181818, 0.1],
    ...[1, 1, 1, 1, 0.307692, 0.181818, 0.129032, 0.1],
  ]);
});

test("stopped in the middle of a decay and resumed, it is the same to the bit", async () => {
  await trainRun(at("stopped"), plan, { signal, until: 7 });
  await resumeRun(at("stopped"), { signal });
  expect(recordsOf("stopped")).toEqual(recordsOf("whole"));
  for (const parts of [[], ["checkpoints", "8"]])
    expect(weights("stopped", ...parts).equals(weights("whole", ...parts))).toBe(true);
});

test("a finished run takes one more budget, to the bits of one that had it from the start and without a remark", async () => {
  await trainRun(at("longer"), configWith([4, 8]), { signal });
  const said: string[] = [];
  const settings = ["train.steps=16", "train.decayCheckpoints=[4, 8, 16]"];
  await resumeRun(at("longer"), { signal, settings, onWarning: (sentence) => said.push(sentence) });
  expect(said).toEqual([]);
  expect(recordsOf("longer")).toEqual(recordsOf("whole"));
  expect(weights("longer").equals(weights("whole"))).toBe(true);
});

test("more steps without a budget at their end are refused", async () => {
  await expect(resumeRun(at("longer"), { signal, settings: ["train.steps=20"] })).rejects.toThrow(
    "train.decayCheckpoints: expected the last to be train.steps (20), got 16",
  );
});
