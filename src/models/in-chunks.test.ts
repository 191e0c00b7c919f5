/** @file What mixers compute in chunks, groups or blocks: the same as at once, gradients too. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { drawn, evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { add, compile, Graph, grad, multiply, size, sum, type Tensor } from "../tensor/index.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import { readAgain } from "./cached.ts";
import { type Complex, power } from "./complex.ts";
import { parameterData } from "./conformance/run.ts";
import { runtime } from "./conformance.test-helper.ts";
import { configureModel, initialParameters, type ModelName, modelNamed } from "./index.ts";
import { inChunks, oneByOne } from "./s5.ts";
import { attended } from "./seqboat.ts";

/** The outputs and gradients of two ways to compute the same, by their names. */
function bothWays(
  ways: Readonly<Record<string, readonly Tensor[]>>,
  inputs: readonly Tensor[],
  weights: readonly Tensor[],
) {
  return Object.fromEntries(
    Object.entries(ways).flatMap(([way, all]) => {
      const loss = all.map((o, i) => sum(multiply(o, weights[i]))).reduce(add);
      const gradients = grad(loss, inputs);
      return [
        ...all.map((o, i) => [`${way} ${i}`, o] as const),
        ...gradients.map((dx, i) => [`${way} ${inputs[i].name}`, dx] as const),
      ];
    }),
  );
}

/** That both ways have the same outputs and gradients. */
function expectSame(
  results: Readonly<Record<string, Float32Array>>,
  [one, other]: readonly string[],
  tolerance: number,
) {
  for (const name of Object.keys(results).filter((each) => each.startsWith(`${one} `)))
    expect(relativeError(results[name], results[name.replace(one, other)]), name).toBeLessThan(tolerance);
}

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
    const ways = {
      blocks: [readAgain(q, shares, memories, 0)],
      once: [readAgain(q, shares, memories, length)],
    };
    const rng = rngFrom(1);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    expectSame(await evaluate(graph, bothWays(ways, inputs, [weights]), feeds), ["blocks", "once"], 1e-5);
  },
);

test.each([1, 64, 65, 200])(
  "s5: %i tokens filtered in chunks leave the states of one step after the other, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, pairs] = [2, 3];
    const pair = (name: string, shape: readonly number[]): Complex => ({
      re: graph.input(`${name}.re`, shape),
      im: graph.input(`${name}.im`, shape),
    });
    const given = pair("given", [batch, length, pairs]);
    const start = pair("start", [batch, pairs]);
    const exponent = pair("exponent", [pairs]);
    const weights = pair("weights", [batch, length, pairs]);
    const parts = ({ re, im }: Complex) => [re, im];
    const ways = {
      chunks: parts(inChunks(given, start, exponent)),
      steps: parts(oneByOne(given, start, power(exponent), undefined)),
    };
    const outputs = bothWays(ways, [given, start, exponent].flatMap(parts), parts(weights));
    const rng = rngFrom(2);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => {
        // They fade by half in 7 to 70 tokens, and turn by up to a radian.
        const number = () => (name === "exponent.re" ? -0.01 - 0.09 * rng.next() : 2 * rng.next() - 1);
        return [name, Float32Array.from({ length: size(shape) }, number)];
      }),
    );
    expectSame(await evaluate(graph, outputs, feeds), ["chunks", "steps"], 2e-5);
  },
);

test.each([63, 64, 150])(
  "seqboat: %i tokens that attend in blocks read what they read at once, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, width, window] = [2, 4, 3];
    const rng = rngFrom(7);
    const inputs = ["query", "key", "value"].map((name) => graph.input(name, [batch, 1, length, width]));
    const [query, key, value] = inputs;
    const active = Array.from({ length: batch * length }, () => rng.next() < 0.4);
    let count = 0;
    const counts = active.map((each, i) => {
      count = (i % length === 0 ? 0 : count) + Number(each);
      return count;
    });
    const asHead = (numbers: readonly number[]) =>
      graph.constant(Float32Array.from(numbers), [batch, 1, length, 1]);
    const given = {
      ...{ query, key, value, counts: asHead(counts) },
      ranks: asHead(counts.map((each, i) => (active[i] ? each : each - 2 ** 22))),
    };
    // What is not active counts for nothing.
    const shown = asHead(active.map(Number));
    const ways = {
      blocks: [multiply(attended(given, window, 0), shown)],
      once: [multiply(attended(given, window, length), shown)],
    };
    const weights = graph.input("weights", [batch, 1, length, width]);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    expectSame(await evaluate(graph, bothWays(ways, inputs, [weights]), feeds), ["blocks", "once"], 1e-5);
  },
);
