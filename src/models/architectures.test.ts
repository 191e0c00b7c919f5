import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { compile, Graph, grad, multiply, sum, withData } from "../tensor/index.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  runSteps,
  runtime,
  small,
  varied,
  vocabulary,
} from "./conformance.test-helper.ts";
import {
  applyModel,
  configureModel,
  describeModel,
  initialParameters,
  type ModelParameters,
  mixers,
  modelNamed,
  parameterShapes,
  stateShapes,
} from "./index.ts";
import { extendModel } from "./prefill.ts";
import { feedForwardWidth } from "./stack.ts";

const tokens = randomTokens(rngFrom(1), 2, 20);

test("DeltaProduct with one step for each token is DeltaNet", async () => {
  const [one, plain] = [small("deltaproduct", { householders: 1 }), small("deltanet", {})];
  const tree = varied(plain);
  const { logits } = await runParallel(one, tree, tokens);
  expect(logits).toEqual((await runParallel(plain, tree, tokens)).logits);
});

test("a hybrid of one kind of layer is that model, weights and logits, bit for bit", async () => {
  const own = { heads: 4, chunk: 7 };
  const [hybrid, pure] = [
    small("hybrid", { layers: 3, pattern: ["deltanet"], deltanet: own }),
    small("deltanet", { layers: 3, ...own }),
  ];
  const tree = initialParameters(pure, rngFrom(2));
  expect(parameterData(initialParameters(hybrid, rngFrom(2)))).toEqual(parameterData(tree));
  const runs = await Promise.all(
    [hybrid, pure].map((model) => runParallel(model, tree, tokens, { taps: true })),
  );
  expect(runs[0]).toEqual(runs[1]);
});

test("layers with and without positions: each counts from the first layer of the model, and equal layers are one object", () => {
  const own = { heads: 4, rotary: [true, true, false] };
  const rotaryOf = (model: ReturnType<typeof small>) =>
    model.mixers.map((each) => (each.own as Partial<typeof own>).rotary);
  const pure = small("transformer", { layers: 4, loops: 2, ...own });
  const pass = [[true], [true], [false], [true]];
  expect(rotaryOf(pure)).toEqual([...pass, ...pass]);
  expect(new Set(pure.mixers).size).toBe(2);
  expect(describeModel(pure).rotary).toEqual(own.rotary);
  const hybrid = small("hybrid", { layers: 4, pattern: ["deltanet", "transformer"], transformer: own });
  expect(rotaryOf(hybrid)).toEqual([undefined, [true], undefined, [true]]);
});

test.each([
  [60, "slstm"],
  [-200, "slstm"],
  [60, "slstm-block"],
  [-200, "slstm-block"],
] as const)(
  "%d more on all input gates of %s changes nothing, from the first step on: only their ratio counts",
  async (more, name) => {
    const model = small(name, { heads: 2 });
    const tree = varied(model);
    const moved = withBiases(tree, more);
    const { logits } = await runParallel(model, tree, tokens);
    expect(furthest((await runParallel(model, moved, tokens)).logits, logits)).toBeLessThan(1e-3);
    expect(furthest((await runSteps(model, moved, tokens, 20)).logits, logits)).toBeLessThan(1e-3);
  },
);

/** `more` on the first quarter, i, of every bias i, f, z, o. */
function withBiases(tree: ModelParameters, more: number): ModelParameters {
  const entries = Object.entries(parameterData(tree)).map(([path, data]) => {
    const shifted = path.endsWith("mixer.bias")
      ? data.map((x, i) => (4 * i < data.length ? x + more : x))
      : data;
    return [path, shifted];
  });
  return withData(tree, Object.fromEntries(entries));
}

test.each([
  ["transformer", {}],
  ["rwkv7", {}],
  ["hybrid", { pattern: ["deltanet", "lstm"] }],
] as const)(
  "%s with three loops is three times the layers with copies of their weights",
  async (name, own) => {
    const [looped, long] = [small(name, { ...own, loops: 3 }), small(name, { ...own, layers: 6 })];
    const { layers, ...rest } = varied(looped);
    expect(Object.keys(layers)).toEqual(["0", "1"]);
    const copies = [0, 1, 2, 3, 4, 5].map((i) => [i, layers[i % 2]]);
    const tree = { ...rest, layers: Object.fromEntries(copies) as typeof layers };
    const { logits } = await runParallel(looped, { ...rest, layers }, tokens);
    expect(furthest(logits, (await runParallel(long, tree, tokens)).logits)).toBeLessThan(1e-6);
    expect(furthest(logits, (await runSteps(looped, { ...rest, layers }, tokens, 20)).logits)).toBeLessThan(
      1e-4,
    );
    expect(stateShapes(looped, 20)).toEqual(stateShapes(long, 20));
    expect(describeModel(looped)).toMatchObject({ layers: 2, loops: 3 });
  },
);

test.each([
  ["gated-deltanet", {}],
  ["deltaproduct", { decay: true }],
  ["kda", {}],
  ["gka", {}],
  ["mamba", {}],
  ["mamba2", {}],
  ["s4d", {}],
  ["s5", {}],
  ["seqboat", {}],
] as const)(
  "rates of e^100, more than float32 has, leave %s and its gradients finite",
  async (name, config) => {
    const model = small(name, config);
    const graph = new Graph();
    const tree = initialParameters(model, rngFrom(1));
    const ids = graph.constant(Int32Array.from(tokens.flat()), [2, 20]);
    const logits = applyModel(model, graph.parameters(tree), ids);
    const slopes = grad(sum(multiply(logits, logits)), graph.inputs);
    const outputs = Object.fromEntries([
      ["logits", logits],
      ...slopes.map((each, i) => [graph.inputs[i].name, each]),
    ]);
    const run = await compile(graph, outputs, runtime);
    const data = parameterData(initialParameters(model, rngFrom(1)));
    for (const path of Object.keys(data).filter((each) => each.endsWith("logRate"))) data[path].fill(100);
    for (const [path, values] of Object.entries(await run.run(data)))
      expect(
        values.every((each) => Number.isFinite(Number(each))),
        path,
      ).toBe(true);
    await run.release();
  },
);

test.each([
  ["deltanet", { heads: 3 }, "model: expected heads that divide width 64, got 3"],
  ["transformer", { heads: 5 }, "model: expected heads that divide width 64, got 5"],
  ["transformer", { heads: 64 }, "transformer: expected heads of even width, got 1"],
  ["deltanet", { betaMax: 1.5 }, "run.yaml: expected betaMax to be 1 or 2, got 1.5"],
  ["deltanet", { heads: "two" }, 'run.yaml: expected heads to be a number, got "two"'],
  ["deltanet", { convolution: -1 }, "run.yaml: expected convolution to be at least 0, got -1"],
  ["lstm", { width: 0 }, "run.yaml: expected width to be more than 0, got 0"],
  ["mamba", { heads: 2 }, /^run\.yaml: expected one of name, layers, .*, got "heads"$/],
  ["transformer", { witdh: 32 }, 'run.yaml: expected a known key, got "witdh". Did you mean width?'],
  ["deltaproduct", { householders: 5 }, "run.yaml: expected householders to be at most 4, got 5"],
  ["mamba", { transition: "[0,2]" }, 'run.yaml: expected transition to be "[0,1]" or "[-1,1]", got "[0,2]"'],
  ["slstm", { heads: 3 }, "model: expected heads that divide width 64, got 3"],
  ["slstm-block", { heads: 3 }, "model: expected heads that divide width 64, got 3"],
  ["mlstm-block", { heads: 3 }, "model: expected heads that divide width 128, got 3"],
  ["mlstm-block", { blockSize: 5 }, "mlstm-block: expected a blockSize that divides 128, got 5"],
  ["gru", { heads: 3 }, "model: expected heads that divide width 64, got 3"],
  ["lstm", { heads: 128 }, "model: expected heads that divide width 64, got 128"],
  ["deltanet", { feedForward: -1 }, "run.yaml: expected feedForward to be at least 0, got -1"],
  ["hybrid", {}, 'run.yaml: expected pattern (an array), got "nothing"'],
  ["hybrid", { pattern: [] }, "run.yaml: expected pattern to be at least 1 elements long, got []"],
  ["hybrid", { pattern: ["gru", "lstm", "gru"] }, "layers for the whole pattern, 3 or more, got 2"],
  ["hybrid", { pattern: ["gru"], mamba: {} }, /^run\.yaml: expected settings of gru alone, .*, got "mamba"$/],
  [
    "hybrid",
    { pattern: ["deltanet"], deltanet: { betaMx: 1 } },
    /got "betaMx"\. Did you mean deltanet\.betaMax\?$/,
  ],
  ["hybrid", { pattern: ["attention"] }, /pattern\.0 to be "deltanet" or .*, got "attention"$/],
])("%s refuses %j in one sentence", (name, config, sentence) => {
  const configure = () => {
    const model = configureModel(modelNamed(name), { name, ...config }, vocabulary, "run.yaml");
    return parameterShapes(model);
  };
  expect(configure).toThrow(sentence);
});

test("Mamba's transition may be written without quotes, as YAML then reads it", () => {
  expect(small("mamba", { transition: [0, 1] })).toEqual(small("mamba", { transition: "[0,1]" }));
  expect(small("mamba", { transition: [-1, 1] })).toEqual(small("mamba", {}));
});

test("a layer that offers without an `extend` is refused where tokens go step by step inside of a graph", () => {
  const { extend: _, ...silent } = mixers.rwkv7;
  const model = configureModel(silent, { name: "rwkv7", layers: 1, width: 8 }, vocabulary, "model");
  const graph = new Graph();
  const states = Object.entries(stateShapes(model, 4)).map(([name, shape]) => [
    name,
    graph.input(name, [1, ...shape]),
  ]);
  const places = { position: graph.input("position", [1], "int32"), unseen: graph.scalar(0), bound: 4 };
  const extend = (length: number) =>
    extendModel(
      model,
      graph.parameters(parameterShapes(model), `p${length}`),
      graph.input(`tokens${length}`, [1, length], "int32"),
      Object.fromEntries(states),
      places,
    );
  expect(() => extend(3)).toThrow("rwkv7: expected `extend` of a mixer that offers");
});

test("an unknown model is refused, and where the known ones are listed", () => {
  expect(() => modelNamed("toString")).toThrow(
    'model: expected the name of a model, got "toString". See statelab list models, or use your own: --model ./mine.ts',
  );
});

test("only sLSTM blocks have a feed-forward layer, of 4/3 of the width, whatever the model's is", () => {
  for (const feedForward of [0, 12, 100]) {
    const model = small("hybrid", {
      ...{ width: 16, feedForward, layers: 3 },
      pattern: ["mlstm-block", "slstm-block", "gru"],
    });
    const [mlstm, slstm, gru] = [0, 1, 2].map((layer) => parameterShapes(model).layers[layer].feedForward);
    expect(mlstm).toBeUndefined();
    expect(slstm).toEqual({ gateAndUp: { shape: [16, 44] }, down: { shape: [22, 16] } });
    expect(gru?.down.shape).toEqual(feedForward === 0 ? undefined : [feedForward, 16]);
    expect(model.mixers.map((each) => feedForwardWidth(model, each).gate)).toEqual(["silu", "gelu", "silu"]);
    expect(describeModel(model).feedForward).toBe(feedForward);
  }
});

test("attention that keeps all tokens refuses a text longer than it keeps in one sentence", async () => {
  for (const name of ["log-linear", "cached"] as const) {
    const model = small(name, { longest: 16 });
    await expect(runParallel(model, varied(model), tokens)).rejects.toThrow(
      `${name}: expected texts of at most 16 tokens (longest), got 20`,
    );
  }
  expect(() => varied(small("cached", { base: "gla", betaMax: 2 }))).toThrow("model (base: gla)");
});

test.each(["transformer", "fox", "path"] as const)(
  "%s reads words that are all the same alike, however many: where no first word is another, one layer cannot tell their parity",
  async (name) => {
    const words = [new Array<number>(30).fill(3)];
    const [model, gru] = [small(name, { layers: 1 }), small("gru", { layers: 1 })];
    const { logits } = await runParallel(model, varied(model), words);
    const most = Math.max(...logits[0].map((row) => furthest(row, logits[0][0])));
    expect(most).toBeLessThan(1e-4); // it is a mean of values that are all the same
    const { logits: others } = await runParallel(gru, varied(gru), words);
    expect(furthest(others[0][1], others[0][0])).toBeGreaterThan(1e-2);
  },
);

test("LaCT in a single chunk is the network that it began as: no token knows of another", async () => {
  const model = small("lact", { layers: 1, chunk: 20, window: 0 });
  const { logits } = await runParallel(model, varied(model), [tokens[0], tokens[0].toReversed()]);
  expect(furthest(logits[1].toReversed(), logits[0])).toBeLessThan(1e-5);
});

test("memory caching that may choose as many segments as there are weighs all of them", async () => {
  const own = { segment: 4, longest: 20 };
  const [all, few] = [small("cached", own), small("cached", { ...own, mode: "sparse", chosen: 1 })];
  const many = small("cached", { ...own, mode: "sparse", chosen: 5 });
  const tree = varied(all);
  const { logits } = await runParallel(all, tree, tokens);
  expect((await runParallel(many, tree, tokens)).logits).toEqual(logits);
  expect(furthest((await runParallel(few, tree, tokens)).logits, logits)).toBeGreaterThan(1e-2);
});

test("gmu refuses a readout of another width than the model", async () => {
  const model = small("hybrid", { pattern: ["deltanet", "gmu"], deltanet: { expandV: 2 } });
  await expect(runParallel(model, varied(model), tokens)).rejects.toThrow(
    `gmu: expected a layer below with a readout of width ${model.width} (expandV: 1), got ${2 * model.width}`,
  );
});

test.each(["deltanet", "gated-deltanet", "transformer", "lstm"] as const)(
  "a head of %s that is taken out is taken out of what it offers",
  async (name) => {
    const model = small("hybrid", { pattern: [name, "gmu"], [name]: { heads: 2 } });
    const interventions = { "interventions.0.scale": Float32Array.of(1, 0) };
    const { taps } = await runParallel(model, varied(model), tokens, { interventions, taps: true });
    const { data } = taps["layers.1.heads"]; // [B, T, 1, d]: the gate times the readout
    const half = (second: boolean) => data.filter((_, i) => i % model.width >= model.width / 2 === second);
    expect(new Set(half(true).map(Math.abs))).toEqual(new Set([0]));
    expect(Math.max(...half(false).map(Math.abs))).toBeGreaterThan(0.1);
  },
);

test.each([
  [{ name: "gmu" }, 'below gmu, layer 0, a layer that offers its readout, got "none"'],
  [
    { name: "hybrid", pattern: ["gmu", "deltanet"] },
    'below gmu, layer 0, a layer that offers its readout, got "none"',
  ],
  [
    { name: "hybrid", pattern: ["gru", "gmu"] },
    'below gmu, layer 1, a layer that offers its readout, got ["gru"]',
  ],
])("%j has no readout to take, and is refused when it is configured", (config, sentence) => {
  expect(() => configureModel(modelNamed(config.name), config, vocabulary, "run.yaml")).toThrow(sentence);
});

test("over attention a gated memory unit may stand behind trained vectors in front of the text, as it carries nothing itself", async () => {
  const prefixed = small("hybrid", { pattern: ["transformer", "gmu"], initialState: "trained" });
  const own = varied(prefixed);
  expect(Object.keys(parameterData(own))).toContain("initialState.prefix");
  const plain = small("hybrid", { pattern: ["transformer", "gmu"] });
  const rest = Object.fromEntries(
    Object.entries(own).filter(([name]) => name !== "initialState"),
  ) as typeof own; // the tree without the learned prefix
  const [before, behind] = [await runParallel(plain, rest, tokens), await runParallel(prefixed, own, tokens)];
  expect(furthest(before.logits, behind.logits)).toBeGreaterThan(1e-2);
});
