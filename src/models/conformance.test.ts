import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { shapesOf, withData } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { sequenceOnnx, stepOnnx } from "../train/onnx-export.ts";
import {
  filled,
  furthest,
  parallelRunner,
  parameterData,
  type Run,
  randomTokens,
  runParallel,
  runSteps,
  small,
  toRows,
  varied,
  vocabulary,
} from "./conformance.test-helper.ts";
import {
  configureModel,
  describeModel,
  initialParameters,
  modelNamed,
  parameterCount,
  parameterShapes,
  stateShapes,
} from "./index.ts";
import { weightsOf } from "./naive.ts";
import { feedForwardWidth } from "./stack.ts";
import { configsToTest, subjectOf } from "./subjects.test-helper.ts";
import { disagreements, gradientsAndSlopes, naive } from "./training.test-helper.ts";

const cases = configsToTest.map(({ name, config }) => ({
  name,
  shown: JSON.stringify(config),
  config,
  model: small(name, config),
}));

describe.each(cases)("$name $shown", ({ name, config, model }) => {
  const tree = varied(model);
  const layers = model.mixers.map((each) => subjectOf(each, model.width));

  test.each([1, 65])("logits of %d tokens are those of the naive twin", async (length) => {
    const tokens = randomTokens(rngFrom(length), 2, length);
    const { logits } = await runParallel(model, tree, tokens);
    const wanted = tokens.map((row) => naive(model, weightsOf(tree), row));
    const zeros = wanted.map((rows) => rows.map((row) => row.map(() => 0)));
    expect(furthest(wanted, zeros)).toBeGreaterThan(0.5); // logits that are all near 0 would agree with anything
    expect(furthest(logits, wanted)).toBeLessThan(1e-4);
  });

  test("a token changes its own logits and later ones, and no earlier bit; and a batch gives what each of its sequences gives alone", async () => {
    const length = 37;
    const runner = await parallelRunner(model, tree, 1, length);
    const rows = randomTokens(rngFrom(2), 3, length);
    const together = await runParallel(model, tree, rows);
    for (const [i, row] of rows.entries()) {
      const { logits } = await runner.run([row]);
      expect(furthest(together.logits[i], logits[0])).toBeLessThan(2e-5);
    }
    const tokens = rows.slice(0, 1);
    const { logits: before } = await runner.run(tokens);
    for (const changed of [0, 1, 20, length - 1]) {
      const other = [tokens[0].with(changed, (tokens[0][changed] + 1) % vocabulary)];
      const { logits: after } = await runner.run(other);
      expect(after[0].slice(0, changed)).toEqual(before[0].slice(0, changed));
      expect(furthest(after[0][changed], before[0][changed])).toBeGreaterThan(1e-3);
      // What was read is carried on: the next position knows of it.
      if (changed + 1 < length) {
        expect(furthest(after[0][changed + 1], before[0][changed + 1])).toBeGreaterThan(1e-5);
      }
    }
    await runner.release();
  });

  // Two sessions of one model agree bit for bit, too: the interventions of scale 1 below.
  test("the same seed gives the same weights, bit for bit, and another seed others", () => {
    const [one, again, other] = [5, 5, 6].map((seed) =>
      parameterData(initialParameters(model, rngFrom(seed))),
    );
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
  });

  test("gradients of every parameter are the slopes of the twin's loss", async () => {
    const checked = await gradientsAndSlopes(model, tree);
    expect(disagreements(checked)).toEqual([]);
  });

  test("one step at a time gives the logits and taps of the whole sequence, in the documented shapes", async () => {
    const length = 35;
    const tokens = randomTokens(rngFrom(4), 2, length);
    const whole = await runParallel(model, tree, tokens, { taps: true });
    expect(Object.fromEntries(Object.entries(whole.taps).map(([tap, { shape }]) => [tap, shape]))).toEqual(
      Object.fromEntries(
        layers.flatMap(({ taps: wanted }, layer) =>
          Object.entries(wanted(2, length)).map(([tap, shape]) => [`layers.${layer}.${tap}`, shape]),
        ),
      ),
    );
    const steps = await runSteps(model, tree, tokens, length);
    expect(furthest(steps.logits, whole.logits)).toBeLessThan(1e-4);
    expect(Object.keys(steps.taps).sort()).toEqual(Object.keys(whole.taps).sort());
    for (const [tap, { shape, data }] of Object.entries(whole.taps)) {
      expect(steps.taps[tap].shape, tap).toEqual([...shape]);
      const largest = furthest([...data], [...filled(shape, 0)]); // what is read before a norm may be far above 1
      expect(furthest([...steps.taps[tap].data], [...data]), tap).toBeLessThan(1e-4 * Math.max(1, largest));
    }
  });

  test("interventions: scale 1 changes no bit, scale 0 takes a head out, and what heads read in another run continues that run", async () => {
    const length = 14;
    const [here, there] = randomTokens(rngFrom(8), 2, length);
    const runner = await parallelRunner(model, tree, 1, length, { taps: true, interventions: {} });
    const wanted = await runner.run([there]);
    expect(wanted.logits).toEqual((await runParallel(model, tree, [there])).logits);

    const { heads, readBy } = layers[1];
    for (let head = 0; head < heads; head++) {
      const scale = filled([heads], 1);
      scale[head] = 0;
      const ablated = await runner.run([there], { "interventions.1.scale": scale });
      const weights = weightsOf(tree);
      const path = `layers.1.mixer.${readBy}`;
      const { [path]: rows } = weights;
      const isOut = (i: number, count: number) => Math.floor((i * heads) / count) === head;
      weights[path] =
        rows.length === 1
          ? [rows[0].map((each, i) => (isOut(i, rows[0].length) ? 0 : each))]
          : rows.map((row, i) => row.map((each) => (isOut(i, rows.length) ? 0 : each)));
      expect(furthest(ablated.logits, [naive(model, weights, there)])).toBeLessThan(1e-4);
      expect(furthest(ablated.logits, wanted.logits)).toBeGreaterThan(1e-2);
    }

    const shared = 9; // from here on the two sequences are the same, so that only the heads know the difference
    const target = [...here.slice(0, shared), ...there.slice(shared)];
    const interventions = Object.fromEntries(
      layers.flatMap(({ heads: count }, layer) => [
        [`interventions.${layer}.scale`, filled([count], 0)],
        [`interventions.${layer}.replacement`, wanted.taps[`layers.${layer}.heads`].data],
      ]),
    );
    const unpatched = await runner.run([target]);
    const patched = await runner.run([target], interventions);
    await runner.release();
    const apart = (one: Run, from: number, to: number) =>
      furthest(one.logits[0].slice(from, to), wanted.logits[0].slice(from, to));
    expect(apart(unpatched, shared, length)).toBeGreaterThan(1e-3);
    expect(apart(patched, shared, length)).toBeLessThan(1e-6);
    expect(apart(patched, 0, shared)).toBeGreaterThan(1e-2);
  });

  test("the exported files hold standard operators only and give the same logits", async () => {
    const { ort, options } = nodeRuntime();
    const [tokens] = randomTokens(rngFrom(10), 1, 19);
    const numbers = parameterData(tree);
    const wanted = [naive(model, weightsOf(tree), tokens)];

    const file = sequenceOnnx(model, tree, numbers, tokens.length);
    expect(Buffer.from(file).includes("com.microsoft")).toBe(false);
    const whole = await ort.InferenceSession.create(file, options);
    const shape = [1, tokens.length];
    const { logits } = await whole.run({ tokens: new ort.Tensor("int32", Int32Array.from(tokens), shape) });
    expect(logits.dims).toEqual([1, tokens.length, vocabulary]);
    expect(furthest(toRows(logits.data as Float32Array, 1, tokens.length), wanted)).toBeLessThan(1e-4);
    await whole.release();

    const stepFile = stepOnnx(model, tree, numbers, tokens.length);
    expect(Buffer.from(stepFile).includes("com.microsoft")).toBe(false);
    const step = await ort.InferenceSession.create(stepFile, options);
    const shapes = Object.entries(stateShapes(model, tokens.length));
    let states = Object.fromEntries(
      shapes.map(([state, own]) => [state, new ort.Tensor("float32", filled([1, ...own], 0), [1, ...own])]),
    );
    for (const [t, token] of tokens.entries()) {
      const results = await step.run({
        token: new ort.Tensor("int32", Int32Array.of(token), [1]),
        position: new ort.Tensor("int32", Int32Array.of(t), [1]),
        ...Object.fromEntries(Object.entries(states).map(([state, value]) => [`state.${state}`, value])),
      });
      expect(furthest(Array.from(results.logits.data as Float32Array), wanted[0][t])).toBeLessThan(1e-4);
      states = Object.fromEntries(
        shapes.map(([state]) => [state, results[`next.${state}`] as (typeof states)[string]]),
      );
    }
    await step.release();
  });

  test("the number of parameters is the closed formula's", () => {
    for (const [more, d, f] of [
      [0, 8, 5],
      [2, 16, 24],
      [1, 8, 0],
    ]) {
      const least = name === "hybrid" ? 2 : 1; // a pattern needs a layer for each of its mixers
      const sized = small(name, { ...config, layers: least + more, width: d, feedForward: f });
      const mixers = sized.mixers.map((each, layer) => subjectOf(each, d, layer).parameters);
      const feedForward = (width: number) => (width === 0 ? 0 : 3 * d * width + d);
      const wanted = mixers.reduce(
        (total, own, layer) =>
          total + own + d + feedForward(feedForwardWidth(sized, sized.mixers[layer]).width),
        2 * vocabulary * d + d,
      );
      expect(parameterCount(parameterShapes(sized))).toBe(wanted);
      expect(parameterShapes(sized)).toEqual(shapesOf(initialParameters(sized, rngFrom(0))));
    }
  });

  test("the description configures the same model again", () => {
    const again = configureModel(modelNamed(name), describeModel(model), vocabulary, "model");
    expect(again).toEqual(model);
  });
});

test("a gradient that is wrong by one percent in one parameter is found out", async () => {
  const model = small("deltanet", {});
  const checked = await gradientsAndSlopes(model, varied(model));
  const wrong = checked.map((each) =>
    each.path === "layers.0.mixer.beta" ? { ...each, gradient: 1.01 * each.gradient } : each,
  );
  expect(new Set(disagreements(wrong).map(({ path }) => path))).toEqual(new Set(["layers.0.mixer.beta"]));
});

test("the Transformer of B's experiments has the published number of parameters", () => {
  const config = { name: "transformer", layers: 6, width: 512, heads: 8, feedForward: 768 };
  const model = configureModel(modelNamed("transformer"), config, 259, "model");
  expect(parameterCount(parameterShapes(model))).toBe(13_641_216);
});

test.each([
  ["open", 100, (t: number) => t + 1],
  ["shut", -100, () => 1],
])(
  "an LSTM whose forget gate begins %s holds the sum, or the last, of what was written",
  async (_, forgetBias, held) => {
    const model = small("lstm", { layers: 1, forgetBias });
    const fresh = initialParameters(model, rngFrom(14));
    const path = "layers.0.mixer.recurrent";
    const tree = withData(fresh, {
      ...parameterData(fresh),
      [path]: parameterData(fresh)[path].map(() => 0),
    });
    const { taps } = await runParallel(model, tree, [new Array<number>(6).fill(3)], { taps: true });
    const cells = toRows(taps["layers.0.cell"].data, 1, 6)[0]; // the same token again and again
    expect(Math.max(...cells[0].map(Math.abs))).toBeGreaterThan(0.1);
    for (const [t, cell] of cells.entries()) {
      for (const [i, each] of cell.entries()) expect(each).toBeCloseTo(held(t) * cells[0][i], 4);
    }
  },
);
