import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { casesToTest, subjectOf } from "./subjects.test-helper.ts";
import { disagreements, gradientsAndSlopes, naive, shortest } from "./training.test-helper.ts";

describe.each(casesToTest)("$name $shown", ({ name, config, model }) => {
  const tree = varied(model);
  const layers = model.mixers.map((each) => subjectOf(each, model.width));
  const length = 65;
  const tokens = randomTokens(rngFrom(length), 2, length);
  /** What the naive twin says of the tokens. */
  let wanted: number[][][];
  /** One graph for most tests of a model, with taps and interventions; and what it says of the tokens. */
  let whole: Awaited<ReturnType<typeof parallelRunner>>;
  let run: Run;
  beforeAll(async () => {
    wanted = tokens.map((row) => naive(model, weightsOf(tree), row));
    whole = await parallelRunner(model, tree, 2, length, { taps: true, interventions: {} });
    run = await whole.run(tokens);
  });
  afterAll(() => whole.release());

  test("logits are those of the naive twin, of one token and of many", async () => {
    const zeros = wanted.map((rows) => rows.map((row) => row.map(() => 0)));
    expect(furthest(wanted, zeros)).toBeGreaterThan(0.5); // logits that are all near 0 would agree with anything
    expect(furthest(run.logits, wanted)).toBeLessThan(2e-4); // LaCT: 1.02e-4
    const first = <T>(rows: readonly (readonly T[])[]) => rows.map((row) => row.slice(0, 1));
    const { logits } = await runParallel(model, tree, first(tokens));
    expect(furthest(logits, first(wanted))).toBeLessThan(1e-4);
  });

  test("a token changes its own logits and later ones, and no earlier bit nor one of another sequence", async () => {
    const [row, other] = tokens;
    for (const changed of [0, 1, 20, length - 1]) {
      const { logits } = await whole.run([row.with(changed, (row[changed] + 1) % vocabulary), other]);
      expect(logits[1]).toEqual(run.logits[1]);
      const [after, before] = [logits[0], run.logits[0]];
      expect(after.slice(0, changed)).toEqual(before.slice(0, changed));
      expect(furthest(after[changed], before[changed])).toBeGreaterThan(1e-3);
      // What was read is carried on: the next position knows of it.
      if (changed + 1 < length)
        expect(furthest(after[changed + 1], before[changed + 1])).toBeGreaterThan(1e-5);
    }
    const { logits } = await whole.run([other, row]);
    expect(furthest(logits.toReversed(), run.logits)).toBeLessThan(2e-5);
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
    const least = shortest(name, config);
    const checked = await gradientsAndSlopes(least, varied(least));
    expect(disagreements(checked)).toEqual([]);
  });

  test("one step at a time gives the logits and taps of the whole sequence, in the documented shapes", async () => {
    expect(Object.fromEntries(Object.entries(run.taps).map(([tap, { shape }]) => [tap, shape]))).toEqual(
      Object.fromEntries(
        layers.flatMap(({ taps: shapes }, layer) =>
          Object.entries(shapes(2, length)).map(([tap, shape]) => [`layers.${layer}.${tap}`, shape]),
        ),
      ),
    );
    const count = 35;
    const begun = <T>(rows: readonly (readonly T[])[]) => rows.map((row) => row.slice(0, count));
    const steps = await runSteps(model, tree, begun(tokens), length);
    expect(furthest(steps.logits, begun(run.logits))).toBeLessThan(1e-4);
    expect(Object.keys(steps.taps).sort()).toEqual(Object.keys(run.taps).sort());
    for (const [tap, { shape, data }] of Object.entries(run.taps)) {
      expect(steps.taps[tap].shape, tap).toEqual(shape.with(1, count));
      const width = data.length / (2 * length);
      const same = [0, 1].flatMap((row) => [
        ...data.subarray(row * length * width, (row * length + count) * width),
      ]);
      const largest = furthest(same, [...filled([same.length], 0)]); // what is read before a norm may be far above 1
      expect(furthest([...steps.taps[tap].data], same), tap).toBeLessThan(1e-4 * Math.max(1, largest));
    }
  });

  test("interventions: scale 1 changes no bit, scale 0 takes a head out, and what heads read in another run continues that run", async () => {
    expect(run.logits).toEqual((await runParallel(model, tree, tokens)).logits);

    const { heads, readBy } = layers[1];
    const few = tokens[0].slice(0, 14);
    for (let head = 0; head < heads; head++) {
      const scale = filled([heads], 1);
      scale[head] = 0;
      const ablated = await whole.run(tokens, { "interventions.1.scale": scale });
      const weights = weightsOf(tree);
      const path = `layers.1.mixer.${readBy}`;
      const { [path]: rows } = weights;
      const isOut = (i: number, count: number) => Math.floor((i * heads) / count) === head;
      weights[path] =
        rows.length === 1
          ? [rows[0].map((each, i) => (isOut(i, rows[0].length) ? 0 : each))]
          : rows.map((row, i) => row.map((each) => (isOut(i, rows.length) ? 0 : each)));
      const now = ablated.logits[0].slice(0, few.length);
      expect(furthest(now, naive(model, weights, few))).toBeLessThan(1e-4);
      expect(furthest(now, run.logits[0].slice(0, few.length))).toBeGreaterThan(1e-2);
    }

    const shared = 9; // from here on the two sequences are the same, so that only the heads know the difference
    const others = randomTokens(rngFrom(8), 2, shared);
    const target = tokens.map((row, i) => [...others[i], ...row.slice(shared)]);
    const interventions = Object.fromEntries(
      layers.flatMap(({ heads: count }, layer) => [
        [`interventions.${layer}.scale`, filled([count], 0)],
        [`interventions.${layer}.replacement`, run.taps[`layers.${layer}.heads`].data],
      ]),
    );
    const unpatched = await whole.run(target);
    const patched = await whole.run(target, interventions);
    const apart = (one: Run, from: number, to: number) =>
      Math.max(...one.logits.map((rows, i) => furthest(rows.slice(from, to), run.logits[i].slice(from, to))));
    expect(apart(unpatched, shared, length)).toBeGreaterThan(1e-3);
    expect(apart(patched, shared, length)).toBeLessThan(1e-6);
    expect(apart(patched, 0, shared)).toBeGreaterThan(1e-2);
  });

  test("the exported files hold standard operators only and give the same logits", async () => {
    const { ort, options } = nodeRuntime();
    const rows = tokens.map((each) => each.slice(0, 19));
    const [row] = rows;
    const longest = row.length + 5; // 24, which is a width of some
    const numbers = parameterData(tree);
    const said = wanted[0].slice(0, row.length);

    const file = sequenceOnnx(model, tree, numbers, longest);
    expect(Buffer.from(file).includes("com.microsoft")).toBe(false);
    const sequence = await ort.InferenceSession.create(file, options);
    const asked = (given: readonly (readonly number[])[]) =>
      sequence.run({
        tokens: new ort.Tensor("int32", Int32Array.from(given.flat()), [given.length, given[0].length]),
      });
    const { logits, ...recorded } = await asked(rows);
    expect(logits.dims).toEqual([2, row.length, vocabulary]);
    expect(furthest(toRows(logits.data as Float32Array, 2, row.length)[0], said)).toBeLessThan(1e-4);
    if (tree.initialState?.prefix === undefined) {
      expect(Object.keys(recorded)).toEqual(Object.keys(run.taps));
      for (const [name, { shape, data }] of Object.entries(run.taps)) {
        expect([name, recorded[name].dims]).toEqual([name, shape.with(1, row.length)]);
        const width = data.length / (2 * length);
        const begun = [0, 1].flatMap((i) => [
          ...data.subarray(i * length * width, (i * length + row.length) * width),
        ]);
        expect(furthest(Array.from(recorded[name].data as Float32Array), begun), name).toBeLessThan(1e-3);
      }
    }
    await expect(asked([new Array<number>(longest + 8).fill(0)])).rejects.toThrow(
      /out of data bounds|out of range/,
    );
    await sequence.release();

    const stepFile = stepOnnx(model, tree, numbers, row.length);
    expect(Buffer.from(stepFile).includes("com.microsoft")).toBe(false);
    const step = await ort.InferenceSession.create(stepFile, options);
    const shapes = Object.entries(stateShapes(model, row.length));
    let states = Object.fromEntries(
      shapes.map(([state, own]) => [state, new ort.Tensor("float32", filled([1, ...own], 0), [1, ...own])]),
    );
    for (const [t, token] of row.entries()) {
      const results = await step.run({
        token: new ort.Tensor("int32", Int32Array.of(token), [1]),
        position: new ort.Tensor("int32", Int32Array.of(t), [1]),
        ...Object.fromEntries(Object.entries(states).map(([state, value]) => [`state.${state}`, value])),
      });
      expect(furthest(Array.from(results.logits.data as Float32Array), said[t])).toBeLessThan(1e-4);
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
      const least = "pattern" in config ? (config.pattern as readonly string[]).length : 1; // a layer for each of its mixers
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
