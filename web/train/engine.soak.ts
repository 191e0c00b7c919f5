/** The engine of the page, WebAssembly, against the one of the command line: every architecture that the page offers. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { rows } from "../../experiments/zoo/data.ts";
import { modelNamed } from "../../src/models/index.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import { taskNamed } from "../../src/tasks/index.ts";
import type { Runtime } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { createTrainer, type Trainer } from "../../src/train/trainer.ts";
import { chosenConfig, pageRuntime } from "./runtime.ts";
import { choiceFrom, pageModels } from "./settings.ts";

const folder = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
const wasm = Uint8Array.from(readFileSync(join(folder, "ort-wasm-simd-threaded.wasm"))).buffer;
const page = await pageRuntime({ device: "cpu", wasm });
const STEPS = 20;
const slice = process.env.SOAK_SLICE === "ci";

const trainerOf = (config: RunConfig, runtime: Runtime) =>
  createTrainer(config, {
    ...{ task: taskNamed(config.task.name), architecture: modelNamed(config.model.name) },
    ...{ runtime, now: () => 0 },
  });

/** The losses of the first steps, and of the gradient its norm; `before` sees the trainer before each. */
async function stepsOf(trainer: Trainer, before: (step: number) => void = () => {}) {
  const found: { loss: number; gradientNorm: number }[] = [];
  const steps = trainer.steps();
  for (let step = 1; step <= STEPS; step++) {
    before(step);
    const { value } = await steps.next();
    if (value !== undefined) found.push(value);
  }
  await trainer.release();
  return found;
}

const own = ["parity", "s3", "swaps"].flatMap((task) =>
  Object.keys(pageModels(task)).map((name) => [task, name] as const),
);
const zoo = [
  ...Object.keys(rows).map((row) => ["zoo-s3-swaps", row] as const),
  ...(["zoo-a4", "zoo-mqar"] as const).map((task) => [task, "deltanet"] as const), // of each kind of column one
];
const asked = slice ? [...own.slice(0, 6), ...zoo.slice(0, 2)] : [...own, ...zoo];

test.each(asked)(
  "%s, %s: at the page's own rate each of twenty steps has, from the same weights, the loss of the other engine to 1e-5",
  async (task, name) => {
    const config = chosenConfig(choiceFrom({ task, width: "16" }), name);
    const weights: Record<string, Float32Array>[] = [];
    const trainer = await trainerOf(config, page);
    const here = await stepsOf(trainer, () =>
      weights.push(
        Object.fromEntries(
          Object.entries(trainer.parameters).map(([path, numbers]) => [path, numbers.slice()]),
        ),
      ),
    );
    const native = await trainerOf(config, nodeRuntime());
    const there = await stepsOf(native, (step) => {
      for (const [path, numbers] of Object.entries(weights[step - 1])) native.parameters[path].set(numbers);
    });
    for (const [i, { loss, gradientNorm }] of here.entries()) {
      expect(Math.abs(loss - there[i].loss), `step ${i + 1}`).toBeLessThan(1e-5);
      expect(Math.abs(gradientNorm / there[i].gradientNorm - 1), `step ${i + 1}`).toBeLessThan(1e-3);
      expect(gradientNorm).toBeGreaterThan(0);
    }
    expect(here).toHaveLength(STEPS);
  },
);

test("left alone the two engines go apart no farther than the other one does from itself, when a last bit of its first weights is changed", async () => {
  const config = chosenConfig(choiceFrom({ width: "16", length: "16" }), "deltanet-2");
  const moved = async (bits: number) => {
    const trainer = await trainerOf(config, nodeRuntime());
    for (const numbers of Object.values(trainer.parameters))
      for (let i = 0; i < numbers.length; i++) numbers[i] *= 1 + (i % 2 === 0 ? bits : -bits) * 2 ** -23;
    return stepsOf(trainer);
  };
  const [native, itself] = [await moved(0), await moved(1)];
  const here = await stepsOf(await trainerOf(config, page));
  const apart = (other: typeof native) =>
    Math.max(...other.map(({ loss }, i) => Math.abs(loss - native[i].loss)));
  expect(apart(here)).toBeLessThan(4 * apart(itself));
  expect(apart(itself)).toBeLessThan(1e-3);
});
