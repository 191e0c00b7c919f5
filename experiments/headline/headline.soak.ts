import { expect, test } from "vitest";
import { modelNamed } from "../../src/models/index.ts";
import { parameterShapes } from "../../src/models/stack.ts";
import { exampleStream, type Task, taskNamed } from "../../src/tasks/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { evaluate } from "../../src/train/evaluate.ts";
import { createTrainer } from "../../src/train/trainer.ts";
import { type HeadlineModel, headlineRun, settings } from "./headline.ts";

const seeds = process.env.SOAK_SLICE === "ci" ? [] : [100, 101, 102];

/** Trains as the headline does, or for fewer steps, and asks about `commands` with a reveal every `spacing`. */
async function accuracyOf(
  architecture: HeadlineModel,
  seed: number,
  commands: number,
  spacing: number,
  shortened: { steps?: number } = {},
) {
  const whole = headlineRun(settings.laptop, architecture, seed);
  const config = { ...whole, train: { ...whole.train, ...shortened } };
  const task = taskNamed("repl") as Task;
  const runtime = nodeRuntime();
  const parts = { task, architecture: modelNamed(config.model.name), runtime, now: () => 0 };
  const trainer = await createTrainer(config, parts);
  for await (const _ of trainer.steps());
  const test = {
    prepared: trainer.data.variant({ commands, spacing }, "soak"),
    tokenizer: trainer.data.tokenizer,
    stream: exampleStream(seed, "soak"),
    programs: 300,
    exclude: trainer.trained(),
  };
  const tree = parameterShapes(trainer.model);
  const { accuracy } = await evaluate(trainer.model, { tree, data: trainer.parameters }, test, runtime);
  await trainer.release();
  return accuracy;
}

test("DeltaNet [-1,1] leaves chance in half of the steps of the headline's training", async () => {
  expect(await accuracyOf("deltanet[-1,1]", 0, 12, 12, { steps: 1100 })).toBeGreaterThan(0.9);
});

test.each(seeds)(
  "seed %i: DeltaNet [-1,1] names 48 commands with a reveal every 24, and DeltaNet [0,1] has learned its training",
  async (seed) => {
    expect(await accuracyOf("deltanet[-1,1]", seed, 48, 24)).toBeGreaterThan(0.75); // the windowed filter has 0.5
    expect(await accuracyOf("deltanet[0,1]", seed, 12, 1)).toBeGreaterThan(0.95);
  },
);
