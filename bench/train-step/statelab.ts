/**
 * @file The lab itself as a contender: the graph, the session and the optimizer that `statelab train` uses, on the
 * given weights and batch.
 *
 * The lab keeps the two SwiGLU inputs in one matrix and the LSTM's gates in the order i, f, o, g; `weightsOf` rearranges.
 */

import { configureModel, modelNamed, parameterShapes } from "../../src/models/index.ts";
import { compile, withData } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { gradientName, trainingGraph } from "../../src/train/graph.ts";
import { adamw } from "../../src/train/optimizers/adamw.ts";
import { flatten } from "../../src/train/optimizers/optimizer.ts";
import type { Contender } from "./baseline.ts";
import { productOperations } from "./matmul-flops.ts";
import type { Config, Problem, Weight } from "./problem.ts";

const OPTIMIZER = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };
const LEARNING_RATE = 1e-3;

export const statelab: Contender = {
  name: "statelab",
  async prepare(problem) {
    const trainers = [await trainer(problem, 1), await trainer(problem, 2)];
    const firstLosses: number[] = [];
    for (let i = 0; i < 3; i++) firstLosses.push(await trainers[0].step());
    for (let i = 0; i < 3; i++) await trainers[1].step();
    return {
      firstLosses,
      variants: ["1 thread", "2 threads"],
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

async function trainer({ config, weights, batch }: Problem, threads: number) {
  const model = modelOf(config);
  const initial = Object.entries(weightsOf(config, weights)).map(([path, { data }]) => [path, data]);
  const flat = flatten(withData(parameterShapes(model), Object.fromEntries(initial)));
  const gradient = new Float32Array(flat.values.length);
  const targets = Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]);
  const { graph, outputs } = trainingGraph(model, config.batch, config.length);
  const session = await compile(graph, outputs, nodeRuntime({ threads }));
  const parameters = flat.views(flat.values);
  const feeds = { ...batch, weights: new Float32Array(batch.tokens.length).fill(1), ...parameters };
  const optimizer = adamw(flat, OPTIMIZER);
  let steps = 0;
  return {
    async step(): Promise<number> {
      const { loss } = await session.run(feeds, Object.fromEntries(targets));
      optimizer.update(gradient, LEARNING_RATE, ++steps);
      return Number(loss[0]);
    },
    release: () => session.release(),
  };
}

function modelOf({ model, width, layers, heads, vocabulary }: Config) {
  const own = { transformer: { heads }, deltanet: { heads, betaMax: 2, convolution: 4 }, lstm: {} }[model];
  return configureModel(modelNamed(model), { name: model, layers, width, ...own }, vocabulary, "bench");
}

/** The problem's weights under the lab's paths and in its layouts. */
function weightsOf({ width }: Config, weights: Problem["weights"]): Record<string, Weight> {
  const all: Record<string, Weight> = {};
  for (const [name, weight] of Object.entries(weights)) {
    if (name.endsWith("feed.up")) continue; // goes with its gate
    if (name.endsWith("feed.gate")) {
      const up = weights[name.replace("gate", "up")];
      all[name.replace("feed.gate", "feedForward.gateAndUp")] = columns([weight, up], [0, 1], 2 * width);
    } else if (/mixer\.(input|hidden|bias)$/.test(name)) {
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
