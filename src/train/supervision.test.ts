import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { parameterShapes } from "../models/index.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { contentHash } from "../tasks/batch.ts";
import { wordsFrom } from "../tasks/example.ts";
import { emptyBatch, taskNamed } from "../tasks/index.ts";
import { planData, trainingData } from "./data.ts";
import { expectResumed, recordsOf, savedFrom, whole, withTrainer } from "./fixture.test-helper.ts";
import { sequenceOnnx, stepOnnx } from "./onnx-export.ts";
import { isFinished } from "./trainer.ts";

const small = { name: "transformer", layers: 1, width: 16, heads: 2 };

function config(more: {
  train?: object;
  task?: object;
  supervision?: object | null;
  model?: object;
  stages?: unknown;
}): RunConfig {
  const { train = {}, task = {}, supervision = { head: "linear" }, stages, model = small } = more;
  return RunConfig.parse({
    seed: 2,
    task: "name" in task ? task : { name: "parity-program", length: 6, ...task },
    model,
    train: { steps: 6, batch: 8, warmupSteps: 0, loss: "next-token", ...train },
    ...(stages !== undefined && { curriculum: { stages } }),
    ...(supervision !== null && { stateSupervision: supervision }),
  });
}

test.each(["linear", "decoder", "contrastive"])(
  "with the %s head the first loss is the same as without, and the exported graphs are, byte for byte",
  async (head) => {
    const [without, supervised] = [config({ supervision: null }), config({ supervision: { head } })];
    const plain = await withTrainer(without, async (trainer) => recordsOf(trainer, 1));
    await withTrainer(supervised, async (trainer) => {
      const [first] = await recordsOf(trainer, 1);
      expect(first.loss).toBe(plain[0].loss);
      expect(first.stateLoss).toBeGreaterThan(0);
      const own = Object.keys(trainer.parameters).filter((path) => path.startsWith("stateHead."));
      expect(own.length > 0).toBe(head !== "contrastive");
      const tree = parameterShapes(trainer.model);
      const bare = Object.fromEntries(
        Object.entries(trainer.parameters).filter(([path]) => !path.startsWith("stateHead.")),
      );
      for (const write of [sequenceOnnx, stepOnnx]) {
        expect(write(trainer.model, tree, trainer.parameters, 32)).toEqual(
          write(trainer.model, tree, bare, 32),
        );
      }
    });
  },
);

// Of the smallest head: whose the parameters are makes no difference to a checkpoint.
test("going on from a copy with a head is as if nothing had happened, bit for bit", async () => {
  const supervision = { head: "linear" };
  const stages = [[{ length: 2 }], [{ length: 6 }]];
  const given = config({ train: { steps: 4, batch: 6 }, supervision, stages });
  const moving = { ...given, curriculum: { ...given.curriculum, threshold: 0, averagingWindow: 20 } };
  const through = await whole(moving);
  expect(new Set(through.records.map(({ stage }) => stage)).size).toBe(2); // so that the number of questions changes
  await expectResumed(moving, through, 1);
});

test.each([
  ["decoder", { ...small, convolution: 4 }],
  ["contrastive", { name: "deltanet", layers: 1, width: 16, heads: 2 }],
])("batches as long as they must be train as longer ones do, with the %s head", async (head, model) => {
  // Two programs of one or six expressions: 32, 64 or 96 tokens.
  const of = (padding: string) =>
    config({
      task: { name: "arithmetic-program", length: 6, digits: 3 },
      stages: [[{ length: 1 }, { length: 6 }]],
      model,
      supervision: { head, state: "changed" },
      train: { steps: 6, batch: 2, padding },
    });
  const [long, short] = [await whole(of("max")), await whole(of("longest"))];
  const [stage] = trainingData(planData(taskNamed("arithmetic-program"), of("longest"))).stages;
  expect(new Set([1, 2, 3].map((step) => stage.partsOf(step)[0].length)).size).toBeGreaterThan(1); // graphs change on the way
  for (const [i, record] of short.records.entries()) {
    for (const what of ["loss", "stateLoss", "gradientNorm"] as const) {
      expect(record[what]).toBeCloseTo(long.records[i][what]!, 3);
    }
  }
  await expectResumed(of("longest"), short);
});

test("a linear head learns the state that one line tells, and its weight scales what the model gets of it", async () => {
  const given = config({
    task: { length: 1 },
    train: { steps: 120, batch: 32, learningRate: 0.01 },
  });
  const { records } = await whole(given);
  expect(Math.abs(records[0].stateLoss! - Math.log(2))).toBeLessThan(0.05);
  expect(records[0].stateAccuracy).toBeGreaterThan(0);
  expect(records.at(-1)!.stateAccuracy).toBe(1);
  const norm = async (weight: number) => {
    const [first] = await withTrainer(config({ supervision: { weight } }), (trainer) =>
      recordsOf(trainer, 1),
    );
    return first.gradientNorm;
  };
  expect(await norm(1000)).toBeGreaterThan(100 * (await norm(1)));
});

test("no held-out program is ever trained on, whatever the stage", () => {
  const until = { stopWhenSolved: { every: 2, examples: 60 } };
  // 128 programs of length 6, and the other stages' own.
  const given = config({ train: { steps: 40, batch: 32, ...until }, stages: [[{ length: [2, 6] }], [{}]] });
  const data = trainingData(planData(taskNamed("parity-program"), given));
  const { heldOut } = data;
  const texts = heldOut!.places.map((place) =>
    wordsFrom(heldOut!.test.prepared, heldOut!.test.stream(place)),
  );
  expect(new Set(texts.map(contentHash)).size).toBe(60);
  expect(new Set(texts.map(contentHash))).toEqual(heldOut!.hashes);
  const trained = new Set<number>();
  for (const stage of data.stages) {
    const batch = emptyBatch(32, stage.length);
    for (let step = 1; step <= 40; step++) {
      stage.fill(batch, step);
      for (const hash of batch.hashes) trained.add(hash);
    }
  }
  expect([...trained].filter((hash) => heldOut!.hashes.has(hash))).toEqual([]);
  // Nearly all that is left was: so it is not that they are rare.
  expect(trained.size).toBeGreaterThan(60);
});

test("training ends at the first test without a mistake, and says so to whoever resumes", async () => {
  const given = config({
    task: { name: "repl", variables: 2, commands: 4, spacing: 1 },
    model: { name: "deltanet", layers: 1, width: 32, heads: 2 },
    train: {
      steps: 400,
      batch: 16,
      learningRate: 0.01,
      loss: "revealed-values",
      stopWhenSolved: { every: 20, examples: 20 },
    },
  });
  await withTrainer(given, async (trainer) => {
    const records = await recordsOf(trainer);
    const asked = records.filter(({ heldOut }) => heldOut !== undefined);
    expect(asked.map(({ step }) => step)).toEqual(asked.map((_, i) => 20 * (i + 1)));
    expect(asked.map(({ heldOut }) => heldOut === 1)).toEqual(asked.map((_, i) => i === asked.length - 1));
    expect(records.length).toBeLessThan(400);
    expect(trainer.state().perfectAt).toBe(records.length);
    expect(isFinished(trainer.state(), given)).toBe(true);
    expect(await recordsOf(trainer)).toEqual([]);
    expect(await whole(given, savedFrom(trainer))).toMatchObject({ records: [] });
  });
});

test("when nothing is left to train on it is said in one sentence", async () => {
  const given = config({ task: { length: 1 }, train: { stopWhenSolved: { every: 1, examples: 4 } } });
  const failure = await whole(given).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LabError);
  expect((failure as LabError).message).toBe(
    'batchWriter: expected programs besides the excluded ones, got "4 excluded". Exclude fewer',
  );
});
