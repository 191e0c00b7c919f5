/**
 * @file The lab itself as a contender: `createTrainer` on the given weights and batch, with the defaults of `statelab train`.
 *
 * The lab keeps the two SwiGLU inputs in one matrix and the LSTM's gates in the order i, f, o, g; `weightsOf` rearranges.
 */

import { z } from "zod";
import { configureModel, modelNamed } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { defineTask, type Task } from "../../src/tasks/task.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { trainingGraph } from "../../src/train/graph.ts";
import { createTrainer } from "../../src/train/trainer.ts";
import type { Contender } from "./baseline.ts";
import { productOperations } from "./matmul-flops.ts";
import type { Config, Problem, Weight } from "./problem.ts";

const MOST_STEPS = 1_000_000;

export const statelab: Contender = {
  name: "statelab",
  async prepare(problem) {
    const trainers = [await trainer(problem, 1), await trainer(problem, 2)];
    const firstLosses: number[] = [];
    for (let i = 0; i < 3; i++) firstLosses.push(await trainers[0].step());
    for (let i = 0; i < 3; i++) await trainers[1].step();
    return {
      firstLosses,
      variants: ["defaults", "2 threads"],
      notes: `onnxruntime-node on Node ${process.versions.node}`,
      async run(variant, steps) {
        const seconds: number[] = [];
        for (let i = 0; i < steps; i++) {
          const start = performance.now();
          await trainers[variant].step();
          seconds.push((performance.now() - start) / 1000);
        }
        return seconds;
      },
      async close() {
        for (const { release } of trainers) await release();
      },
    };
  },
};

/** Floating-point operations of the matrix products of one step. */
export function operationsOfStep(config: Config): number {
  const { graph, outputs } = buildGraph(config);
  return productOperations(graph, Object.values(outputs));
}

/** The graph of one step, before anything is measured. */
export function buildGraph(config: Config) {
  return trainingGraph(modelOf(config), config.batch, config.length);
}

/** Inputs of that graph: the problem's batch, and its weights in our layouts. */
export function makeFeeds({ config, weights, batch }: Problem) {
  const initial = Object.entries(weightsOf(config, weights)).map(([path, { data }]) => [path, data]);
  return { ...batch, weights: new Float32Array(batch.tokens.length).fill(1), ...Object.fromEntries(initial) };
}

/** A step includes everything that the trainer does: it draws the batch, computes, clips, updates and records. */
export async function trainer(problem: Problem, threads: number, device: RunConfig["device"] = "cpu") {
  const { config, weights } = problem;
  const run = RunConfig.parse({
    task: { name: "bench" },
    model: modelFields(config),
    train: {
      ...{ steps: MOST_STEPS, batch: config.batch, loss: "next-token" },
      ...{ learningRate: 1e-3, warmupSteps: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8 },
      ...{ weightDecay: 0.01, maxGradNorm: 1 },
    },
    ...{ threads, device },
  });
  const initial = Object.entries(weightsOf(config, weights)).map(([path, { data }]) => [path, data]);
  const made = await createTrainer(run, {
    task: taskOf(problem),
    architecture: modelNamed(config.model),
    runtime: nodeRuntime({ threads, device }),
    now: () => performance.now(),
    base: Object.fromEntries(initial),
  });
  const records = made.steps();
  return {
    async step(): Promise<number> {
      const { value } = await records.next();
      return value!.loss; // there are more steps
    },
    release: () => made.release(),
  };
}

/** A task whose examples are the sequences of the batch, in order. */
function taskOf({ config: { batch: rows, length, vocabulary }, batch }: Problem): Task {
  return defineTask({
    name: "bench",
    summary: "the batch of the benchmark",
    source: "bench/README.md",
    params: z.strictObject({}),
    prepare() {
      let row = 0;
      return {
        words: Array.from({ length: vocabulary }, (_, i) => String.fromCodePoint(97 + i)),
        variables: [],
        values: [],
        maximumWords: length + 1,
        write(_, sink) {
          const start = row++ % rows;
          for (const token of batch.tokens.subarray(start * length, (start + 1) * length)) sink.word(token);
          sink.word(batch.targets[(start + 1) * length - 1]);
        },
      };
    },
  });
}

function modelFields({ model, width, layers, heads }: Config) {
  const own = {
    transformer: { heads },
    deltanet: { heads, betaMax: 2, convolution: 4 },
    lstm: {},
    "gated-deltanet": { heads, betaMax: 2, convolution: 4 },
    mamba2: { heads, stateSize: 16, expansion: 2, convolution: 4 },
  }[model];
  return { name: model, layers, width, ...own };
}

function modelOf(config: Config) {
  return configureModel(modelNamed(config.model), modelFields(config), config.vocabulary, "bench");
}

/** The problem's weights under the lab's paths and in its layouts. */
function weightsOf({ model, width }: Config, weights: Problem["weights"]): Record<string, Weight> {
  const all: Record<string, Weight> = {};
  for (const [name, weight] of Object.entries(weights)) {
    if (name.endsWith("feed.up")) continue; // goes with its gate
    if (name.endsWith("feed.gate")) {
      const up = weights[name.replace("gate", "up")];
      all[name.replace("feed.gate", "feedForward.gateAndUp")] = columns([weight, up], [0, 1], 2 * width);
    } else if (model === "lstm" && /mixer\.(input|hidden|bias)$/.test(name)) {
      all[name.replace("hidden", "recurrent")] = columns([weight], [0, 1, 3, 2], width);
    } else {
      all[name.replace("feedNorm", "feedForwardNorm").replace("feed.down", "feedForward.down")] = weight;
    }
  }
  return all;
}

/** The weights side by side, cut into blocks of `width` columns, the blocks taken in `order`. */
function columns(sources: readonly Weight[], order: readonly number[], width: number): Weight {
  const rows = sources[0].shape.length === 1 ? 1 : sources[0].shape[0];
  const data = new Float32Array(rows * width * order.length);
  const perSource = order.length / sources.length;
  for (let row = 0; row < rows; row++) {
    for (const [to, from] of order.entries()) {
      const source = sources[Math.floor(from / perSource)].data;
      const start = (row * perSource + (from % perSource)) * width;
      data.set(source.subarray(start, start + width), (row * order.length + to) * width);
    }
  }
  return { shape: sources[0].shape.length === 1 ? [data.length] : [rows, width * order.length], data };
}
