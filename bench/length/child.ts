/**
 * @file Training steps of one model at one length, in a separate process, to measure its memory.
 *
 *     node child.js '{"model":"lstm","layers":2,"width":64,"length":256,"batch":64,"steps":5}'
 *     {"seconds":[0.21,0.2,0.2],"bytes":310000000}          the first step, which warms up, is left out
 */

import { z } from "zod";
import { rngFrom } from "../../src/core/rng.ts";
import { configureModel, initialParameters, modelNamed } from "../../src/models/index.ts";
import { compile } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { gradientName, trainingGraph } from "../../src/train/graph.ts";
import { adamw } from "../../src/train/optimizers/adamw.ts";
import { flatten } from "../../src/train/optimizers/optimizer.ts";

const VOCABULARY = 32;
const OPTIMIZER = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };

const Asked = z.strictObject({
  model: z.string(),
  layers: z.int(),
  width: z.int(),
  length: z.int(),
  batch: z.int(),
  steps: z.int(),
});

async function measure({ model: name, layers, width, length, batch, steps }: z.infer<typeof Asked>) {
  const architecture = modelNamed(name);
  const own = "shape" in architecture.config ? (architecture.config.shape as object) : {};
  const longest = "longest" in own ? { longest: length } : {}; // who says so takes no more than that
  const model = configureModel(architecture, { name, layers, width, ...longest }, VOCABULARY, "bench/length");
  const before = process.memoryUsage.rss();
  const flat = flatten(initialParameters(model, rngFrom(0)));
  const { graph, outputs } = trainingGraph(model, batch, length);
  const session = await compile(graph, outputs, nodeRuntime({ threads: 2 }));
  const gradient = new Float32Array(flat.values.length);
  const targets = Object.fromEntries(
    Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]),
  );
  const rng = rngFrom(1);
  const words = () => Int32Array.from({ length: batch * length }, () => rng.below(VOCABULARY));
  const weights = new Float32Array(batch * length).fill(1);
  const feeds = { tokens: words(), targets: words(), weights, ...flat.views(flat.values) };
  const optimizer = adamw(flat, OPTIMIZER);
  const seconds: number[] = [];
  for (let step = 0; step <= steps; step++) {
    const start = performance.now();
    await session.run(feeds, targets);
    optimizer.update(gradient, 1e-3, step + 1);
    seconds.push((performance.now() - start) / 1000);
  }
  if (!gradient.every(Number.isFinite))
    throw new Error(`${name} at ${length}: a gradient that is not finite`);
  return { seconds: seconds.slice(1), bytes: 1024 * process.resourceUsage().maxRSS - before };
}

console.log(JSON.stringify(await measure(Asked.parse(JSON.parse(process.argv[2])))));
