/** @file What mixers compute in chunks, groups or blocks: the same as at once, gradients too. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { drawn, evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { compile, Graph, grad, multiply, sum } from "../tensor/index.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import { readAgain } from "./cached.ts";
import { parameterData } from "./conformance/run.ts";
import { runtime } from "./conformance.test-helper.ts";
import { configureModel, initialParameters, type ModelName, modelNamed } from "./index.ts";

/** Loss and gradients of two sequences, in chunks of so many tokens. */
async function trained(name: ModelName, length: number, chunk: number, decayBias = 0) {
  const model = configureModel(modelNamed(name), { name, layers: 1, width: 8, chunk }, 5, "test");
  const weights = parameterData(initialParameters(model, rngFrom(3)));
  weights["layers.0.mixer.decayBias"]?.fill(decayBias);
  const { graph, outputs } = trainingGraph(model, 2, length);
  const session = await compile(graph, outputs, runtime);
  const rng = rngFrom(4);
  const words = () => Int32Array.from({ length: 2 * length }, () => rng.below(5));
  const ones = new Float32Array(2 * length).fill(1);
  const results = await session.run({ tokens: words(), targets: words(), weights: ones, ...weights });
  await session.release();
  return { paths: Object.keys(weights), results };
}

test.each([
  ["path", 1030, 32, 1030, 0], // computed again in groups: no multiple of the chunk, nor their number one of a group
  ["log-linear", 64, 8, 256, 0],
  ["log-linear", 65, 8, 256, 0],
  ["log-linear", 71, 2, 256, 0],
  ["log-linear", 127, 16, 256, 0],
  ["log-linear", 129, 64, 256, 0],
  ["log-linear", 200, 16, 256, -2000], // a token fades by e^-125: what follows the end must not grow by as much
] as const)(
  "%s: %i tokens in chunks of %i have the loss and the gradients of all at once",
  async (name, length, chunk, whole, bias) => {
    const [inChunks, atOnce] = [
      await trained(name, length, chunk, bias),
      await trained(name, length, whole, bias),
    ];
    expect(inChunks.results.loss[0]).toBeCloseTo(atOnce.results.loss[0] as number, 5);
    for (const path of inChunks.paths) {
      const [a, b] = [inChunks, atOnce].map(({ results }) => results[gradientName(path)] as Float32Array);
      expect(a.every(Number.isFinite), path).toBe(true);
      expect(relativeError(a, b), path).toBeLessThan(1e-4);
    }
  },
);

test("log-linear attention refuses a chunk that is no power of two in one sentence", async () => {
  const refused = "log-linear: expected a chunk that is a power of two, got 48";
  await expect(trained("log-linear", 8, 48)).rejects.toThrow(refused);
});

test.each([63, 64, 150])(
  "memory caching: %i tokens read in blocks read what they read at once, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, heads, dk, dv, segments] = [2, 2, 3, 4, 5];
    const inputs = [
      graph.input("q", [batch, length, heads, dk]),
      graph.input("shares", [batch, length, segments]),
      graph.input("memories", [batch, heads, segments * dk, dv]),
    ];
    const weights = graph.input("weights", [batch, length, heads, dv]);
    const [q, shares, memories] = inputs;
    const ways = { blocks: readAgain(q, shares, memories, 0), once: readAgain(q, shares, memories, length) };
    const outputs = Object.fromEntries(
      Object.entries(ways).flatMap(([way, o]) => {
        const gradients = grad(sum(multiply(o, weights)), inputs);
        return [[way, o] as const, ...gradients.map((dx, i) => [`${way} ${inputs[i].name}`, dx] as const)];
      }),
    );
    const rng = rngFrom(1);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    const results = await evaluate(graph, outputs, feeds);
    expect(relativeError(results.blocks, results.once)).toBeLessThan(1e-6);
    for (const { name } of inputs)
      expect(relativeError(results[`blocks ${name}`], results[`once ${name}`]), name).toBeLessThan(1e-5);
  },
);
