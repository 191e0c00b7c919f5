/** @file Initial values that have a rule of their own. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { compile, flattenParameters, Graph, grad, sum } from "../tensor/index.ts";
import { parameterData, runtime, small, vocabulary } from "./conformance.test-helper.ts";
import { configureModel, initialParameters, type ModelName, modelNamed } from "./index.ts";
import { hippoFrequencies } from "./s5.ts";

test("first decays: e^logRate fills (0, 16], steps fill [0.001, 0.1] evenly in their logarithm, and none is a matrix", () => {
  const model = configureModel(
    modelNamed("gated-deltanet"),
    { name: "gated-deltanet", layers: 1, width: 400, heads: 400, feedForward: 0 },
    vocabulary,
    "model",
  );
  const parameters = Object.fromEntries(flattenParameters(initialParameters(model, rngFrom(3))));
  const { "layers.0.mixer.decay.logRate": logRate, "layers.0.mixer.decay.bias": bias } = parameters;
  for (const { shape } of [logRate, bias]) expect(shape).toEqual([400]); // vectors have no weight decay
  const ofUnit = {
    rate: [...logRate.data].map((each) => Math.exp(each) / 16),
    step: [...bias.data].map((each) => Math.log(Math.log1p(Math.exp(each)) / 1e-3) / Math.log(100)),
  };
  for (const [name, values] of Object.entries(ofUnit)) {
    const sorted = values.toSorted((a, b) => a - b);
    expect(sorted[0], name).toBeGreaterThan(-1e-4);
    expect(sorted[399], name).toBeLessThan(1 + 1e-4);
    // Kolmogorov and Smirnov: 1.63 / sqrt(400) is exceeded by one of a hundred uniform samples.
    for (const [i, each] of sorted.entries()) expect(Math.abs(each - i / 400), name).toBeLessThan(0.08);
  }
});

const path = "layers.0.mixer.recurrent";

/** The initial matrix of a head. */
function matrixOf(config: object, head: number, own: number): number[][] {
  const { [path]: data } = parameterData(initialParameters(small("rnn", config), rngFrom(3)));
  const start = head * own * own;
  return Array.from({ length: own }, (_, i) => [...data.subarray(start + i * own, start + (i + 1) * own)]);
}

test.each([
  [1, 8],
  [2, 4],
])("with %d heads each head's matrix keeps the length of every vector at first", (heads, own) => {
  const all = Array.from({ length: heads }, (_, head) => matrixOf({ heads }, head, own));
  const rng = rngFrom(4);
  for (const matrix of all) {
    const h = Array.from({ length: own }, () => rng.normal());
    const after = h.map((_, j) => h.reduce((sum, each, i) => sum + each * matrix[i][j], 0));
    expect(Math.hypot(...after)).toBeCloseTo(Math.hypot(...h), 5);
    expect(after.map(Math.abs)).not.toEqual(h.map(Math.abs)); // it mixes
  }
  expect(new Set(all.map((matrix) => matrix.flat().join())).size).toBe(heads); // no two heads alike
});

test("started as the identity each unit carries 0.9 of itself, and of no other", () => {
  const wanted = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i === j ? Math.fround(0.9) : 0)));
  for (const head of [0, 1]) expect(matrixOf({ heads: 2, start: "identity" }, head, 4)).toEqual(wanted);
});

test.each([
  [0, 0.3],
  [1, 0.95],
  [2, 1.6],
])("in layer %d of 3 the first forget biases fall from 5 to -7 with the power %d", (layer, power) => {
  const model = small("slstm-block", { layers: 3, width: 16, heads: 2 });
  const { [`layers.${layer}.mixer.bias`]: bias } = parameterData(initialParameters(model, rngFrom(1)));
  const forget = bias.subarray(16, 32);
  for (const [i, each] of forget.entries()) expect(each).toBeCloseTo(5 - 12 * ((i % 8) / 7) ** power, 5);
  expect(new Set([...bias.subarray(0, 16), ...bias.subarray(32)])).toEqual(new Set([0]));
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

/** HiPPO-N: HiPPO-LegS plus p p' with p_n = sqrt(n + 1/2), as its paper has it. */
function hippoNormal(order: number): number[][] {
  const legs = (n: number, m: number) =>
    n > m ? -Math.sqrt((2 * n + 1) * (2 * m + 1)) : n === m ? -(n + 1) : 0;
  return Array.from({ length: order }, (_, n) =>
    Array.from({ length: order }, (_, m) => legs(n, m) + Math.sqrt((n + 0.5) * (m + 0.5))),
  );
}

const product = (x: number[][], y: number[][]) =>
  x.map((row) => y[0].map((_, j) => row.reduce((sum, each, k) => sum + each * y[k][j], 0)));

test.each([2, 4, 8, 10])(
  "the turns of order %d are those of HiPPO-N's eigenvalues: all its power sums agree",
  (order) => {
    const turns = hippoFrequencies(order);
    expect(turns).toHaveLength(order / 2);
    // N + 1/2 I is skew: its eigenvalues are +-i w, and the traces of its even powers, which determine them, 2 sum (-w^2)^m.
    const skew = hippoNormal(order).map((row, n) => row.map((each, m) => each + (n === m ? 0.5 : 0)));
    for (const [n, row] of skew.entries())
      for (const [m, each] of row.entries()) expect(each).toBeCloseTo(-skew[m][n], 12);
    const square = product(skew, skew);
    let even = square;
    for (let m = 1; m <= order / 2; m++) {
      const trace = even.reduce((sum, row, i) => sum + row[i], 0);
      const wanted = 2 * turns.reduce((sum, w) => sum + (-w * w) ** m, 0);
      expect(trace / wanted).toBeCloseTo(1, 10);
      even = product(even, square);
    }
  },
);

test("S5 begins as its paper says: all states fade alike, by HiPPO-N's turns, in steps from 0.001 to 0.1", () => {
  const of = (name: string) =>
    parameterData(initialParameters(small("s5", { stateSize: 64 }), rngFrom(1)))[`layers.0.mixer.${name}`];
  for (const each of of("logRate")) expect(Math.exp(each)).toBeCloseTo(0.5, 6);
  expect([...of("frequency")]).toEqual([...Float32Array.from(hippoFrequencies(64))]);
  const steps = [...of("logStep")].map(Math.exp);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.00099);
  expect(Math.max(...steps)).toBeLessThanOrEqual(0.1001);
  expect(Math.max(...steps) / Math.min(...steps)).toBeGreaterThan(20);
});

test.each([
  [0.1, 1],
  [0.001, 0],
])(
  "squashed by %d the share of the first filter that is 0, and without gradient, is near %d",
  async (squash, share) => {
    const model = small("long-convolution", { layers: 1, width: 16, squash });
    const tree = initialParameters(model, rngFrom(1));
    const graph = new Graph();
    const x = graph.input("x", [1, 128, 16]);
    const [{ mixer, own }] = model.mixers;
    const p = graph.parameters(tree).layers[0].mixer;
    const context = {
      ...{ taps: () => {}, offer: () => {}, penalty: () => {}, take: () => undefined },
      ...{ norm: <T>(y: T) => y },
      intervene: <T>(y: T) => y,
    };
    const filter = p.filter as typeof x; // no tree of more
    const [slope] = grad(sum(mixer.apply(p, x, own, context)), [filter]);
    const run = await compile(graph, { slope }, runtime);
    const rng = rngFrom(2);
    const { slope: data } = await run.run({
      ...parameterData(tree),
      x: Float32Array.from({ length: 128 * 16 }, () => rng.normal()),
    });
    await run.release();
    const still = [...data].filter((each) => each === 0).length / data.length;
    expect(Math.abs(still - share)).toBeLessThan(0.3);
  },
);

test("S4D begins as its paper says: lin turns evenly, inv fast and then ever slower, both fade alike", () => {
  const numbers = (start: string) => {
    const { "layers.0.mixer.frequency": w, ...rest } = parameterData(
      initialParameters(small("s4d", { stateSize: 8, start }), rngFrom(1)),
    );
    expect(new Set([...rest["layers.0.mixer.logRate"]].map((each) => Math.exp(each).toFixed(5)))).toEqual(
      new Set(["0.50000"]),
    );
    const steps = [...rest["layers.0.mixer.logStep"]].map(Math.exp);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.00099);
    expect(Math.max(...steps)).toBeLessThanOrEqual(0.1001);
    return [0, 1, 2, 3].map((n) => w[8 * n]);
  };
  for (const [n, each] of numbers("lin").entries()) expect(each).toBeCloseTo(Math.PI * n, 5);
  // N = 8: (8/pi) (8 - 1), (8/pi) (8/3 - 1), (8/pi) (8/5 - 1), (8/pi) (8/7 - 1)
  const inv = [17.82535, 4.24413, 1.52789, 0.36378];
  for (const [n, each] of numbers("inv").entries()) expect(each).toBeCloseTo(inv[n], 4);
});

test("scaled to the width: matrices N(0, 1/in), the embedding N(0, 1), nothing is written into the residual stream", () => {
  const of = (initialization: string) => {
    const model = small("transformer", { width: 64, convolution: 4, initialization });
    return parameterData(initialParameters(model, rngFrom(3)));
  };
  const [fixed, scaled] = ["fixed", "width"].map(of);
  const expected = { embedding: 1, "layers.0.mixer.qkv": 1 / 8, "layers.0.feedForward.gateAndUp": 1 / 8 };
  for (const [path, value] of Object.entries(expected)) {
    expect(deviation(scaled[path]) / value, path).toBeCloseTo(deviation(fixed[path]) / 0.02, 5);
    expect(Math.abs(deviation(scaled[path]) / value - 1), path).toBeLessThan(0.1);
  }
  for (const path of ["layers.0.mixer.out", "layers.0.feedForward.down"])
    expect(deviation(scaled[path]), path).toBe(0);
  for (const path of ["norm", "head", "layers.0.mixer.convolution"])
    expect(scaled[path]).toEqual(fixed[path]);
});

test.each([
  ["mamba", "input", 1 / 8],
  ["mamba", "selection", 128 ** -0.5],
  ["mamba", "convolutionBias", 1 / 2],
  ["mamba2", "out", 128 ** -0.5],
  ["mamba2", "convolution", 1 / 2],
  ["mamba3", "input", 1 / 8],
] as const)(
  "as in the source, %s starts its %s as torch.nn does: uniform, to %d",
  (name, parameter, bound) => {
    const data = sourced(name)[parameter];
    expect(Math.max(...data.map(Math.abs))).toBeLessThanOrEqual(bound);
    expect(deviation(data) / (bound / Math.sqrt(3))).toBeGreaterThan(0.9);
    expect(deviation(data) / (bound / Math.sqrt(3))).toBeLessThan(1.1);
  },
);

test.each([
  ["deltanet", "convolution", 0.02],
  ["deltaproduct", "convolution", 0.02],
  ["pd-ssm", "skip", 1 / 8],
] as const)("as in the source, %s starts its %s normally, with deviation %d", (name, parameter, expected) => {
  expect(Math.abs(deviation(sourced(name)[parameter]) / expected - 1)).toBeLessThan(0.25);
});

test("as in the source, KDA's rates are at least 1, and RWKV-7's matrices are orthogonal", () => {
  expect(Math.min(...sourced("kda", { heads: 32 })["decay.logRate"])).toBeGreaterThanOrEqual(0);
  const { key } = sourced("rwkv7");
  for (const [i, j] of [
    [0, 0],
    [5, 5],
    [5, 6],
    [0, 63],
  ]) {
    let sum = 0;
    for (let k = 0; k < 64; k++) sum += key[64 * i + k] * key[64 * j + k];
    expect(sum).toBeCloseTo(i === j ? 0.01 : 0, 6);
  }
});

test.each(["gated-deltanet", "kda", "gated-deltanet-2", "gka", "mamba2", "deltaproduct"] as const)(
  "firstRate is the first r of every head of %s",
  (name) => {
    const numbers = sourced(name, { firstRate: -3, ...(name === "deltaproduct" && { decay: true }) });
    const rates = numbers[name === "mamba2" ? "logRate" : "decay.logRate"];
    expect([...rates]).toEqual([-3, -3]);
  },
);

/** The mixer's initial parameters with the source's start. */
function sourced(name: ModelName, config: object = {}) {
  const model = small(name, { layers: 1, width: 64, initialization: "source", ...config });
  return Object.fromEntries(
    Object.entries(parameterData(initialParameters(model, rngFrom(3)))).map(([path, data]) => [
      path.replace("layers.0.mixer.", ""),
      data,
    ]),
  );
}

const deviation = (data: Float32Array) => Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
