import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig, type StepRecord } from "../../schemas/run-config.ts";
import { latestCheckpoint, readLog } from "../../storage/index.ts";
import { trainingData } from "../../train/data.ts";
import type { TrainerState } from "../../train/trainer.ts";
import { evaluateRun } from "./evaluate.ts";
import { openTrainedRun, testAbout } from "./open.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("held-out");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const configWith = (train: object) =>
  RunConfig.parse({
    task: { name: "parity", length: 6 },
    model: { name: "gru", layers: 1, width: 8 },
    train: { steps: 24, batch: 4, learningRate: 0.02, evaluateEvery: 3, validationExamples: 20, ...train },
    evaluate: { examples: 10 },
    checkpointEvery: 4,
  });

const recordsOf = (name: string) => readLog(at(name, "metrics.jsonl")) as StepRecord[];

test("held-out programs are asked as often as is said, and the checkpoint that was best on them stays", async () => {
  const { best } = await trainRun(at("run"), configWith({}), { signal });
  expect(recordsOf("run").map((record) => Object.entries(record).at(-1))[0]).toEqual(["heldOut", null]);
  const asked = recordsOf("run").filter(({ heldOut }) => (heldOut ?? null) !== null);
  expect(asked.map(({ step }) => step)).toEqual([3, 6, 9, 12, 15, 18, 21, 24]);
  const highest = Math.max(...asked.map(({ heldOut }) => heldOut!));
  const first = asked.find(({ heldOut }) => heldOut === highest)!;
  expect(best).toMatchObject({ step: first.step, heldOut: highest });
  expect(readdirSync(at("run", "checkpoints"))).toContain(String(first.step));
  expect((await openTrainedRun(at("run"), { step: "best" })).step).toBe(first.step);
  const { document } = await evaluateRun({ folder: at("run"), signal, checkpoint: "best" });
  expect(document.step).toBe(first.step);
});

test("no held-out program is trained on, and no test asks one", async () => {
  const run = await openTrainedRun(at("run"));
  const data = trainingData(run.data);
  const { hashes } = data.heldOut!;
  expect(hashes.size).toBe(20);
  const stage = data.stages[0];
  const { emptyBatch, batchWriter } = await import("../../tasks/batch.ts");
  const batch = emptyBatch(4, stage.length);
  for (let step = 1; step <= 24; step++) {
    stage.fill(batch, step);
    expect(batch.hashes.filter((hash) => hashes.has(hash))).toHaveLength(0);
  }
  const asked = testAbout(run, {}, 64); // of 64 programs there are
  const { freshExamples } = await import("../../train/evaluate.ts");
  const one = emptyBatch(1, stage.length);
  const write = batchWriter(asked.prepared, asked.tokenizer);
  for (const place of freshExamples(asked)) {
    write(one, asked.stream, place);
    expect(hashes.has(one.hashes[0])).toBe(false);
  }
});

test("a training without a better answer ends early, and resumed it ends the same as one that never stopped", async () => {
  const still = configWith({ patience: 2, learningRate: 1e-12 }); // nothing is learned
  const { step, finished, best } = await trainRun(at("early"), still, { signal });
  expect([step, finished, best?.step, best?.since]).toEqual([9, true, 3, 2]);
  await trainRun(at("stopped"), still, { signal, until: 5 });
  expect((await resumeRun(at("stopped"), { signal })).step).toBe(9);
  const state = async (name: string) => (await latestCheckpoint(at(name)))?.state as TrainerState;
  expect(await state("stopped")).toEqual(await state("early"));
  expect((await resumeRun(at("early"), { signal, settings: ["train.patience=3"] })).step).toBe(12);
});

test.each([
  [{ stopWhenSolved: {} }, /train\.evaluateEvery: expected either this or train\.stopWhenSolved, got "both"/],
  [{ evaluateEvery: undefined, patience: 2 }, /train\.\w+: expected train\.evaluateEvery too, got "none"/],
])("%j is refused", async (train, sentence) => {
  await expect(trainRun(at("refused"), configWith(train), { signal })).rejects.toThrow(sentence);
});

test("a run that asked nothing while it was trained has no best checkpoint", async () => {
  const plain = configWith({ evaluateEvery: undefined, validationExamples: undefined, steps: 2 });
  await trainRun(at("plain"), plain, { signal });
  await expect(openTrainedRun(at("plain"), { step: "best" })).rejects.toThrow(
    /plain: expected a run with a best checkpoint, got "none"\. Train it with train\.evaluateEvery/,
  );
});
