/** @file What SeqBoat's mask is: attention over the list of those that are active, of which the others learn nothing. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { drawn, evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { compile, Graph, grad, multiply, sum, withData } from "../tensor/index.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  runtime,
  small,
  toRows,
  varied,
} from "./conformance.test-helper.ts";
import { initialParameters, type ModelParameters } from "./index.ts";
import { dot, linear, type Rows, silu, softmax, weightsOf } from "./naive.ts";
import { attended } from "./seqboat.ts";

const [T, d, window] = [40, 8, 3];
const model = small("seqboat", { layers: 1, window, stateSize: 4 });
const [text] = randomTokens(rngFrom(61), 1, T);

/**
 * Weights by which the first channel of m has the sign that `sign` says of the word, and the choice follows it: no mean has a part in it, and
 * of silu(u) with u = 4 or less only the sign is asked.
 */
function choosing(sign: (word: number) => 1 | -1): ModelParameters {
  const fresh = varied(model);
  const numbers = parameterData(fresh);
  const first = (by: (row: number, was: number) => number) => (was: Float32Array) =>
    was.map((each, i) => (i % d === 0 ? by(Math.floor(i / d), each) : each));
  const change: Record<string, (was: Float32Array) => Float32Array> = {
    embedding: first((word) => 4 * sign(word)),
    "layers.0.mixerNorm": (was) => was.map(Math.abs),
    "layers.0.mixer.skip": first(() => 1),
    "layers.0.mixer.read": first(() => 0),
    "layers.0.mixer.choose": (was) => was.map((_, i) => (i === 1 ? 20 : 0)),
  };
  return withData(
    fresh,
    Object.fromEntries(
      Object.entries(numbers).map(([path, was]) => [path, change[path] ? change[path](was) : was]),
    ),
  );
}

const odd = (word: number) => (word % 2 === 1 ? 1 : -1);

/** The layer's attention output, [T][d], recomputed as attention over the list of active tokens from its taps. */
async function readAndWanted(tree: ModelParameters, active: (word: number) => boolean) {
  const { taps } = await runParallel(model, tree, [text], { taps: true });
  const rows = (name: string): Rows => toRows(taps[`layers.0.${name}`].data, 1, T)[0];
  expect(rows("active").map(([each]) => each === 1)).toEqual(text.map(active));
  const [q, k, v, p, heads] = ["query", "key", "value", "share", "heads"].map(rows);
  const { "layers.0.mixer.input": input } = weightsOf(tree);
  const listed: number[] = [];
  const wanted = text.map((word, t) => {
    if (!active(word)) return new Array<number>(d).fill(0);
    listed.push(t);
    const seen = listed.slice(-window);
    const shares = softmax(seen.map((s) => dot(q[t], k[s]) / Math.sqrt(d)));
    const gate = linear(heads[t].slice(0, d), input)
      .map(silu)
      .slice(d, 2 * d); // m is the first half of what is read
    return gate.map((each, i) => p[t][0] * each * seen.reduce((sum, s, n) => sum + shares[n] * v[s][i], 0));
  });
  return { read: heads.map((row) => row.slice(d)), wanted };
}

test("where all tokens are active it is attention to the last w of them", async () => {
  const { read, wanted } = await readAndWanted(
    choosing(() => 1),
    () => true,
  );
  expect(furthest(read, wanted)).toBeLessThan(1e-5);
  expect(Math.max(...wanted.flat().map(Math.abs))).toBeGreaterThan(1e-2);
});

test("the mask is attention over the list of active tokens alone, and 0, bit for bit, where a token is not", async () => {
  const active = (word: number) => word % 2 === 1;
  const { read, wanted } = await readAndWanted(choosing(odd), active);
  expect(furthest(read, wanted)).toBeLessThan(1e-5);
  for (const [t, word] of text.entries())
    if (!active(word)) expect(new Set(read[t].map(Math.abs))).toEqual(new Set([0]));
  expect(new Set(text.map(active)).size).toBe(2);
});

/** dL/dp by path, of a loss at the tokens that `asked` says. */
async function gradientsOf(tree: ModelParameters, asked: (word: number) => boolean) {
  const { graph, outputs } = trainingGraph(model, 1, T);
  const compiled = await compile(graph, outputs, runtime);
  const results = await compiled.run({
    ...parameterData(tree),
    tokens: Int32Array.from(text),
    targets: Int32Array.from(randomTokens(rngFrom(62), 1, T)[0]),
    weights: Float32Array.from(text, (word) => Number(asked(word))),
  });
  await compiled.release();
  return (name: string) => [...(results[gradientName(`layers.0.mixer.${name}`)] as Float32Array)];
}

test("a token that is not active teaches the attention nothing, bit for bit, and an active one teaches all of it and the choice", async () => {
  const tree = choosing(odd);
  const attention = ["input", "queryScale", "queryOffset", "keyScale"];
  const most = (values: readonly number[]) => Math.max(...values.map(Math.abs));
  const ofInactive = await gradientsOf(tree, (word) => word % 2 === 0);
  for (const name of [...attention, "choose", "logTemperature"])
    expect([name, most(ofInactive(name))]).toEqual([name, 0]);
  expect(most(ofInactive("out"))).toBeGreaterThan(1e-3);
  const ofActive = await gradientsOf(tree, (word) => word % 2 === 1);
  for (const name of attention) expect([name, most(ofActive(name)) > 1e-4]).toEqual([name, true]);
  for (const name of ["choose", "logTemperature"]) expect(most(ofActive(name)), name).toBeGreaterThan(0);
});

test("first values: the temperature is 0.3 sqrt(d), and rates fill [0.001, 1] evenly in their logarithm", () => {
  const wide = small("seqboat", { layers: 1, width: 64 });
  const numbers = parameterData(initialParameters(wide, rngFrom(3)));
  expect(Math.exp(numbers["layers.0.mixer.logTemperature"][0])).toBeCloseTo(2.4, 5);
  const rates = [...numbers["layers.0.mixer.logRate"]].map((each) => 1 - each / Math.log(1e-3));
  const sorted = rates.toSorted((a, b) => a - b);
  // Kolmogorov and Smirnov: 1.63 / sqrt(1024) is exceeded by one of a hundred uniform samples.
  for (const [i, each] of sorted.entries()) expect(Math.abs(each - i / sorted.length)).toBeLessThan(0.051);
});

test.each([63, 64, 150])(
  "%i tokens that attend in blocks read what they read at once, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, width] = [2, 4];
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
    const weights = graph.input("weights", [batch, 1, length, width]);
    const ways = { blocks: attended(given, window, 0), once: attended(given, window, length) };
    const outputs = Object.fromEntries(
      Object.entries(ways).flatMap(([way, o]) => {
        const gradients = grad(sum(multiply(o, weights)), inputs);
        return [[way, o] as const, ...gradients.map((dx, i) => [`${way} ${inputs[i].name}`, dx] as const)];
      }),
    );
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => {
        const numbers = Float32Array.from(drawn({ shape }, rng).data);
        const isActive = (_: number, i: number) => Number(active[Math.floor(i / width)]);
        return [name, name === "weights" ? numbers.map((each, i) => each * isActive(each, i)) : numbers];
      }),
    );
    const results = await evaluate(graph, outputs, feeds);
    const shown = (numbers: ArrayLike<number>) =>
      Array.from(numbers).map((each, i) => (active[Math.floor(i / width)] ? each : 0));
    expect(relativeError(shown(results.blocks), shown(results.once))).toBeLessThan(1e-6);
    for (const { name } of inputs)
      expect(relativeError(results[`blocks ${name}`], results[`once ${name}`]), name).toBeLessThan(1e-5);
  },
);
