import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { evaluate } from "../tensor/check.test-helper.ts";
import { crossEntropy, Graph, grad } from "../tensor/index.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  runSteps,
  small,
  varied,
  vocabulary,
} from "./conformance.test-helper.ts";
import { applyModel, configureModel, type ModelName, modelNamed } from "./index.ts";

const able: readonly (readonly [ModelName, object, readonly string[]])[] = [
  ["deltanet", {}, ["layers.0.S", "layers.1.S"]],
  ["gated-deltanet", {}, ["layers.0.S", "layers.1.S"]],
  ["deltaproduct", {}, ["layers.0.S", "layers.1.S"]],
  ["kda", {}, ["layers.0.S", "layers.1.S"]],
  ["gru", {}, ["layers.0.h", "layers.1.h"]],
  ["lstm", {}, ["layers.0.h", "layers.0.c", "layers.1.h", "layers.1.c"]],
  ["hybrid", { pattern: ["deltanet", "transformer"] }, ["layers.0.S"]],
  ...(["rwkv7", "gla", "sse", "mamba2", "mamba3", "mlstm", "mlstm-block"] as const).map(
    (name) => [name, {}, ["layers.0.S", "layers.1.S"]] as const,
  ),
  ...(["mamba", "s4d", "s5", "sd-ssm", "pd-ssm", "rnn", "sr-gru"] as const).map(
    (name) => [name, {}, ["layers.0.h", "layers.1.h"]] as const,
  ),
  ...(["slstm", "slstm-block"] as const).map(
    (name) => [name, {}, ["layers.0.h", "layers.0.c", "layers.1.h", "layers.1.c"]] as const,
  ),
];

test.each(able)(
  "%s: from a trained start the whole sequence is what the steps say",
  async (name, own, paths) => {
    const model = small(name, { ...own, initialState: "trained" });
    const tree = varied(model);
    const starts = Object.keys(parameterData(tree)).filter((path) => path.startsWith("initialState."));
    expect(starts).toEqual(paths.map((path) => `initialState.${path}`));
    const tokens = randomTokens(rngFrom(2), 2, 70); // more than one chunk
    const whole = await runParallel(model, tree, tokens);
    const steps = await runSteps(model, tree, tokens, 70);
    expect(furthest(steps.logits, whole.logits)).toBeLessThan(2e-4);
    const { initialState: _, ...rest } = tree;
    const zeros = await runParallel({ ...model, initialState: "zeros" }, rest, tokens);
    const first = (run: typeof zeros) => run.logits.map((rows) => rows.slice(0, 1));
    expect(furthest(first(whole), first(zeros))).toBeGreaterThan(0.01); // the start is read
  },
);

test("trained vectors in front of a Transformer's text are words that are embedded so", async () => {
  const config = { name: "transformer", layers: 2, width: 8, heads: 2 };
  const model = configureModel(
    modelNamed("transformer"),
    { ...config, initialState: "trained" },
    vocabulary,
    "model",
  );
  const tree = varied(model);
  const { initialState, ...rest } = tree;
  const { prefix } = initialState as unknown as { prefix: { shape: number[]; data: Float32Array } };
  expect(prefix.shape).toEqual([4, 8]); // dk = 4
  const words = [0, 1, 2, 3].map((i) => vocabulary + i);
  const larger = configureModel(modelNamed("transformer"), config, vocabulary + 4, "model");
  const wider = (x: { data: Float32Array }) =>
    Float32Array.from({ length: 8 * (vocabulary + 4) }, (_, n) => {
      const [row, word] = [Math.floor(n / (vocabulary + 4)), n % (vocabulary + 4)];
      return word < vocabulary ? x.data[row * vocabulary + word] : 0;
    });
  const asWords = {
    ...rest,
    embedding: { shape: [vocabulary + 4, 8], data: Float32Array.of(...rest.embedding.data, ...prefix.data) },
    head: { shape: [8, vocabulary + 4], data: wider(rest.head) },
  };
  const tokens = randomTokens(rngFrom(5), 2, 6);
  const one = await runParallel(model, tree, tokens, { taps: true });
  const other = await runParallel(
    larger,
    asWords,
    tokens.map((row) => [...words, ...row]),
  );
  const seen = other.logits.map((rows) => rows.slice(4).map((row) => row.slice(0, vocabulary)));
  expect(furthest(one.logits, seen)).toBeLessThan(1e-5);
  expect(one.taps["layers.1.residual"].shape).toEqual([2, 6, 8]);
  await expect(runSteps(model, tree, tokens, 6)).rejects.toThrow(
    'model.initialState: expected a model that goes token by token, got "trained vectors in front of the text"',
  );
});

test.each(["deltanet", "lstm", "gru", "transformer"] as const)(
  "%s: the gradient of the start is the slope of the loss",
  async (name) => {
    const model = small(name, { initialState: "trained" });
    const tree = varied(model);
    const tokens = Int32Array.from(randomTokens(rngFrom(4), 2, 6).flat());
    const paths = Object.keys(parameterData(tree)).filter((path) => path.startsWith("initialState."));
    const graph = new Graph();
    const given = graph.input("tokens", [2, 6], "int32");
    const logits = applyModel(model, graph.parameters(tree), given);
    const loss = crossEntropy(logits, given, graph.constant(new Float32Array(12).fill(1), [2, 6]));
    const gradients = grad(
      loss,
      paths.map((path) => graph.inputs.find((input) => input.name === path)!),
    );
    const numbers = parameterData(tree);
    const outputs = { loss, ...Object.fromEntries(paths.map((path, i) => [path, gradients[i]])) };
    const found = await evaluate(graph, outputs, { ...numbers, tokens });
    const rng = rngFrom(6);
    for (const path of paths) {
      const signs = numbers[path].map(() => 2 * rng.below(2) - 1);
      const at = async (step: number) => {
        const moved = numbers[path].map((x, i) => x + step * signs[i]);
        return (await evaluate(graph, { loss }, { ...numbers, tokens, [path]: moved })).loss[0];
      };
      const measured = ((await at(1e-2)) - (await at(-1e-2))) / 2e-2;
      const slope = found[path].reduce((total, x, i) => total + x * signs[i], 0);
      expect(Math.abs(measured - slope), path).toBeLessThan(0.02 * Math.hypot(...found[path]) + 1e-4);
    }
  },
);

test("a model none of whose layers can begin elsewhere is refused in one sentence", () => {
  const given = { name: "long-convolution", initialState: "trained" };
  const model = configureModel(modelNamed("long-convolution"), given, 5, "model");
  expect(() => varied(model)).toThrow(
    'model.initialState: expected "zeros", or a layer with a trainable initial state, got "\\"trained\\" with long-convolution"',
  );
});
