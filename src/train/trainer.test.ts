import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { deltanetNaive } from "../models/deltanet.naive.ts";
import { initialParameters } from "../models/index.ts";
import { logitsNaive, weightsOf } from "../models/naive.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { emptyBatch } from "../tasks/index.ts";
import type { Task } from "../tasks/task.ts";
import {
  expectResumed,
  onDevice,
  parts,
  quick,
  recordsOf,
  repl,
  runtime,
  savedFrom,
  tinyConfig,
  whole,
  withTrainer,
} from "./fixture.test-helper.ts";
import { createTrainer, estimate, type Saved } from "./trainer.ts";

describe.each(["deltanet", "lstm", "transformer"])("%s", (name) => {
  const config = (seed: number): RunConfig => {
    const tiny = tinyConfig({}, quick, { name });
    const { heads: _, ...headless } = tiny.model;
    return { ...tiny, seed, model: name === "lstm" ? { ...headless, name } : tiny.model };
  };

  test("the same seed gives the same losses and weights, bit for bit, and another seed others", async () => {
    const first = await whole(config(1));
    expect(first.records).toHaveLength(12);
    expect(await whole(config(1))).toEqual(first);
    expect((await whole(config(2))).records[0].loss).not.toBe(first.records[0].loss);
  });

  test("going on from a copy at any step is as if nothing had happened, bit for bit", async () => {
    const through = await whole(config(1));
    const moves = through.records.flatMap(({ stage }, i, all) =>
      i > 0 && stage !== all[i - 1].stage ? [i] : [],
    );
    expect(moves).toHaveLength(2); // so that copies are taken at, before and after a change of stage
    for (const done of [0, moves[0], moves[0] + 1, 11]) await expectResumed(config(1), through, done);
  });
});

test("a loop that is left and taken up again goes on where it was", async () => {
  const config = tinyConfig({}, quick);
  const { records } = await whole(config);
  await withTrainer(config, async (trainer) => {
    const parts = [await recordsOf(trainer, 5), await recordsOf(trainer, 1), await recordsOf(trainer)];
    expect(parts.flat()).toEqual(records);
    expect(await recordsOf(trainer)).toEqual([]);
  });
});

test("loss and accuracy of the first step are those of the naive twin with the initial weights", async () => {
  const config = tinyConfig({ batch: 16 });
  await withTrainer(config, async (trainer) => {
    const { model, data } = trainer;
    const tree = initialParameters(model, rngFrom(config.seed).fork("parameters"));
    const [stage] = data.stages;
    const batch = emptyBatch(16, stage.length);
    stage.fill(batch, 1);
    let [loss, right] = [0, 0];
    const positions = batch.revealPositions.subarray(0, batch.revealStarts[16]);
    for (const at of positions) {
      const start = at - (at % batch.length);
      const seen = [...batch.tokens.subarray(start, at + 1)];
      const own = { heads: 2, betaMax: 2 };
      const logits = logitsNaive(seen, weightsOf(tree), 1, (x, p) => deltanetNaive(x, p, own)).at(
        -1,
      ) as number[];
      const target = batch.targets[at];
      loss += Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0)) - logits[target];
      right += Number(logits.indexOf(Math.max(...logits)) === target);
    }
    const [first] = await recordsOf(trainer, 1);
    expect(first.loss).toBeCloseTo(loss / positions.length, 5);
    expect(first.accuracy).toBeCloseTo(right / positions.length, 10);
  });
});

test("records tell the stage, and the state when each began", async () => {
  await withTrainer(tinyConfig({}, quick), async (trainer) => {
    const records = await recordsOf(trainer);
    const starts = [0, 1, 2].map((stage) => records.find((record) => record.stage === stage)?.step);
    expect(trainer.state().stageStarts).toEqual(starts);
    expect(trainer.state().step).toBe(12);
    // The clock of the fixture ticks 5 ms whenever it is asked: once before and once after a step.
    expect(new Set(records.map(({ seconds }) => seconds))).toEqual(new Set([0.005]));
  });
});

test("the curriculum is told of the hardest variant's reveals alone", async () => {
  const config = tinyConfig({ batch: 30 }, { stages: [[{ spacing: 1 }, { spacing: 4 }]] });
  await withTrainer(config, async (trainer) => {
    const [stage] = trainer.data.stages;
    const batch = emptyBatch(30, stage.length);
    stage.fill(batch, 1);
    const reveals = Array.from(
      { length: 30 },
      (_, row) => batch.revealStarts[row + 1] - batch.revealStarts[row],
    );
    const [record] = await recordsOf(trainer, 1);
    const { asked, right } = trainer.state().progress;
    expect(asked).toBe(reveals.filter((count) => count === 1).length); // one reveal after four commands
    expect(record.runningAccuracy).toBe(right / asked);
    // Every reveal of the batch would be four times those of the easy rows more.
    expect(asked).toBeLessThan(reveals.reduce((a, b) => a + b, 0) / 2);
  });
});

test("the hashes of the trained programs are those of the batches of every step, in its stage", async () => {
  await withTrainer(tinyConfig({}, quick), async (trainer) => {
    const written = new Set<number>();
    for (const { step, stage } of await recordsOf(trainer)) {
      const batch = emptyBatch(6, trainer.data.stages[stage].length);
      trainer.data.stages[stage].fill(batch, step);
      for (const hash of batch.hashes) written.add(hash);
    }
    expect(written.size).toBeGreaterThan(20);
    expect(trainer.trained()).toEqual(written);
  });
});

/** Of its examples, half ask nothing. */
const halfSilent: Task = {
  ...repl(),
  prepare(params) {
    const prepared = repl().prepare(params);
    return {
      ...prepared,
      write(rng, sink) {
        const asks = rng.fork("asks").below(2) === 0;
        prepared.write(rng, {
          word: (index) => sink.word(index),
          reveal: asks ? (variable, value) => sink.reveal(variable, value) : () => {},
          target: (variable, value) => sink.target(variable, value),
          state: (values) => sink.state(values),
        });
      },
    };
  },
};

test.each([
  ["one part", { train: { batch: 1 } }],
  ["several parts", { train: { batch: 3, shares: 3 } }],
  ["rows of several sessions", { train: { batch: 2, packedLength: 96 } }],
  ["parts of similar length", { train: { batch: 2, padding: "bucket" } }],
  ["a signal of its weights", { train: { batch: 1 }, objective: "noisy" }],
  ["a signal of two texts", { train: { batch: 1 }, objective: "hint" }],
  ["a signal that also has zeros of its own", { train: { batch: 1 }, objective: "reward" }],
  ["on a device", { train: { batch: 1, shares: 1 }, place: true }],
])(
  "a batch without questions changes nothing, and the training goes on: %s",
  async (_, {
    train,
    place,
    ...more
  }: { train: object; objective?: RunConfig["objective"]; place?: boolean }) => {
    const config = {
      ...tinyConfig({ steps: 8, loss: "revealed-values", weightDecay: 1, ...train }),
      ...more,
    };
    const other = { task: halfSilent, runtime: place ? onDevice : runtime };
    const run = (saved?: Saved, steps?: number) =>
      withTrainer(
        config,
        async (trainer) => {
          let before = savedFrom(trainer);
          let silent = 0;
          for await (const { loss, accuracy, gradientNorm, step } of trainer.steps()) {
            expect(loss).toBeLessThan(10);
            await trainer.read();
            const { parameters, optimizer } = savedFrom(trainer);
            if (gradientNorm === 0) {
              silent++;
              expect({ loss, accuracy }).toEqual({ loss: 0, accuracy: 0 });
              expect({ parameters, optimizer }).toEqual({
                parameters: before.parameters,
                optimizer: before.optimizer,
              });
              await trainer.verify();
            } else expect(parameters).not.toEqual(before.parameters);
            before = savedFrom(trainer);
            if (step === steps) break;
          }
          return { silent, end: savedFrom(trainer) };
        },
        saved,
        other,
      );
    const { silent, end } = await run();
    expect(silent).toBeGreaterThan(0);
    if (more.objective !== "reward") expect(silent).toBeLessThan(8);
    const left = await run(undefined, 3);
    expect((await run(left.end)).end).toEqual(end);
  },
);

test("trial steps change nothing but the time of the step that uses one", async () => {
  const config = tinyConfig({ steps: 3 });
  const { records, end } = await whole(config);
  await withTrainer(config, async (trainer) => {
    const before = savedFrom(trainer);
    expect(await trainer.trialSeconds()).toBeCloseTo(0.005, 10);
    expect(savedFrom(trainer)).toEqual(before);
    const [first, ...others] = await recordsOf(trainer);
    expect(first.seconds).toBeCloseTo(0.01, 10); // the trial and the rest
    expect([{ ...first, seconds: records[0].seconds }, ...others]).toEqual(records);
    expect(savedFrom(trainer)).toEqual(end);
  });
});

type Session = Awaited<ReturnType<typeof runtime.ort.InferenceSession.create>>;
type Run = Session["run"];

/** ONNX Runtime whose sessions run by `run`, with nothing but what `compile` uses. */
function runningBy(run: (session: Session, ...asked: Parameters<Run>) => ReturnType<Run>): typeof runtime {
  const { InferenceSession, Tensor } = runtime.ort;
  const create = async (...given: unknown[]) => {
    const session = await (InferenceSession.create as (...given: unknown[]) => Promise<Session>)(...given);
    return {
      run: (...asked: Parameters<Run>) => run(session, ...asked),
      release: () => session.release(),
    };
  };
  return { ...runtime, ort: { Tensor, InferenceSession: { create } } as unknown as typeof runtime.ort };
}

test("a step is computed once, although it was tried or verified before, and anew if its examples differ", async () => {
  let runs = 0;
  const counted = {
    runtime: runningBy((session, ...asked) => {
      runs++;
      return session.run(...asked);
    }),
  };
  const config = tinyConfig({ steps: 4 });
  const { records, end } = await whole(config);
  const untimed = (all: typeof records) => all.map((record) => ({ ...record, seconds: 0 }));
  await withTrainer(
    config,
    async (trainer) => {
      await trainer.tryStep();
      const found = await recordsOf(trainer, 2);
      expect(runs).toBe(2);
      await trainer.verify();
      found.push(...(await recordsOf(trainer)));
      expect(runs).toBe(4);
      expect(untimed(found)).toEqual(untimed(records));
      expect(savedFrom(trainer)).toEqual(end);
    },
    undefined,
    counted,
  );
  runs = 0;
  const mixture = { parts: [{ weight: 3 }, { change: { spacing: 2 } }], window: 2, examples: 4 };
  const mixed = RunConfig.parse({ ...config, data: { mixture } });
  await withTrainer(
    mixed,
    async (trainer) => {
      await trainer.tryStep();
      await recordsOf(trainer, 1);
      expect(runs).toBe(2);
    },
    undefined,
    counted,
  );
});

test("a learning rate that is far too high ends the run in one sentence", async () => {
  const config = tinyConfig({ learningRate: 1e30, warmupSteps: 0 });
  await withTrainer(config, async (trainer) => {
    const failure = await recordsOf(trainer).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "Diverged", kind: "diverged" });
    expect((failure as Error).message).toMatch(
      /^train, step 2: expected a finite (loss|gradient), got NaN\. Training diverged; .*--set train\.learningRate=R, or train\.maxGradNorm=N$/,
    );
    expect(trainer.state().step).toBe(1);
  });
});

test.each([
  ["loss", "loss"],
  ["gradient", "gradient.embedding"],
])("a %s that is not finite ends the run before it reaches a weight", async (kind, output) => {
  const poisoned = runningBy(async (session, ...asked) => {
    const results = await session.run(...asked);
    const [, fetches] = asked as [unknown, Record<string, { data: Float32Array } | null>];
    const written = fetches[output] ?? (results[output] as { data: Float32Array });
    written.data[0] = Number.POSITIVE_INFINITY;
    return results;
  });
  await withTrainer(
    tinyConfig(),
    async (trainer) => {
      const before = savedFrom(trainer);
      await expect(recordsOf(trainer)).rejects.toThrow(
        `train, step 1: expected a finite ${kind}, got Infinity. Training diverged`,
      );
      expect(savedFrom(trainer)).toEqual(before);
    },
    undefined,
    { runtime: poisoned },
  );
});

test("a copy that does not fit the model is refused as corrupt", async () => {
  const config = tinyConfig();
  const saved = await withTrainer(config, async (trainer) => savedFrom(trainer));
  const { norm: _, ...less } = saved.parameters;
  await expect(createTrainer(config, parts(config), { ...saved, parameters: less })).rejects.toMatchObject({
    kind: "corrupt",
    message: 'checkpoint: expected 16 numbers for norm, got "nothing"',
  });
  const short = { ...saved, optimizer: { ...saved.optimizer, first: saved.optimizer.first.subarray(1) } };
  await expect(createTrainer(config, parts(config), short)).rejects.toMatchObject({ kind: "corrupt" });
});

test("the time left is that of the fastest step but the first, times the steps left", async () => {
  const config = tinyConfig({ steps: 10 });
  await withTrainer(config, async (trainer) => {
    expect(estimate(trainer, config, [9, 3, 2])).toMatchObject({ secondsPerStep: 2, seconds: 20 });
    expect(estimate(trainer, config, [1, 3, 2])).toMatchObject({ secondsPerStep: 2 });
    await recordsOf(trainer, 4);
    expect(estimate(trainer, config, [9])).toMatchObject({ secondsPerStep: 9, seconds: 54 });
    await recordsOf(trainer);
    expect(estimate(trainer, config, [9])).toMatchObject({ seconds: 0 });
    const own = trainer.memory();
    expect(estimate(trainer, config, [9], 2 * own).bytes).toBe(2 * own);
    expect(estimate(trainer, config, [9], own / 2).bytes).toBe(own);
    const state = () => ({ ...trainer.state(), step: 4, perfectAt: 4 }); // ended early
    expect(estimate({ ...trainer, state }, config, [9])).toMatchObject({ seconds: 0 });
  });
});

test("memory holds parameters, gradient, moments and logits, and grows with the batch by what a row needs", async () => {
  const bytes = (batch: number) =>
    withTrainer(tinyConfig({ batch }), async (trainer) => {
      const numbers = Object.values(trainer.parameters).reduce((total, { length }) => total + length, 0);
      const logits = batch * trainer.data.stages[0].length * trainer.data.tokenizer.tokens.length;
      const memory = trainer.memory();
      expect(memory).toBeGreaterThan(4 * (4 * numbers + logits));
      return memory;
    });
  const [four, eight, twelve] = [await bytes(4), await bytes(8), await bytes(12)];
  expect(eight).toBeGreaterThan(four);
  // Constants and weights do not depend on the batch; what does is linear in it.
  expect(Math.abs(twelve - eight - (eight - four))).toBeLessThan(0.02 * (eight - four));
});
