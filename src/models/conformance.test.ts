import { describe, expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { LabError } from "../records/error.ts";
import { compile } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { adamW, emptyMoments } from "../train/adamw.ts";
import { sequenceOnnx, stepOnnx } from "../train/export.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import {
  filled,
  furthest,
  numbersOf,
  parallelRunner,
  randomTokens,
  rowsOf,
  runParallel,
  runSteps,
  runtime,
  small,
  varied,
  vocabulary,
} from "./conformance.test-helper.ts";
import { deltanetNaive } from "./deltanet.naive.ts";
import {
  configureModel,
  describeModel,
  initialParameters,
  type Model,
  type ModelName,
  type ModelParameters,
  modelNamed,
  models,
  parameterCount,
  stateShapes,
  withData,
} from "./index.ts";
import { lstmNaive } from "./lstm.naive.ts";
import { logitsNaive, type Rows, type Weights, weightsOf } from "./naive.ts";
import { transformerNaive } from "./transformer.naive.ts";

interface Row {
  readonly config: object;
  /** Numbers in one mixer of width d with h heads. */
  readonly parameters: (d: number) => number;
}

interface Subject {
  /** The mixer in plain numbers; `own` is the mixer's configuration. */
  readonly twin: (x: Rows, weights: Weights, own: never) => number[][];
  readonly rows: readonly Row[];
  /** Shapes of what it hands out, of one layer, for B, T, d and h. */
  readonly taps: (B: number, T: number, d: number, h: number) => Record<string, number[]>;
}

/** What the suite needs to know of every model. A model missing here does not compile. */
const subjects: Record<ModelName, Subject> = {
  deltanet: {
    twin: deltanetNaive,
    rows: [
      { config: {}, parameters: (d) => 4 * d * d + 2 * d + 4 * 3 * d + d / 2 },
      { config: { betaMax: 1, convolution: 0 }, parameters: (d) => 4 * d * d + 2 * d + d / 2 },
      { config: { convolution: 1, chunk: 1 }, parameters: (d) => 4 * d * d + 2 * d + 3 * d + d / 2 },
      { config: { heads: 1, chunk: 3 }, parameters: (d) => 4 * d * d + d + 4 * 3 * d + d },
    ],
    taps: (B, T, d, h) => ({
      query: [B, T, h, d / h],
      key: [B, T, h, d / h],
      value: [B, T, h, d / h],
      beta: [B, T, h],
      heads: [B, T, h, d / h],
      residual: [B, T, d],
    }),
  },
  lstm: {
    twin: lstmNaive,
    rows: [{ config: {}, parameters: (d) => 2 * d * 4 * d + 4 * d + d * d }],
    taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d], heads: [B, T, 1, d], residual: [B, T, d] }),
  },
  transformer: {
    twin: transformerNaive,
    rows: [
      { config: {}, parameters: (d) => 4 * d * d },
      { config: { heads: 1, convolution: 4, rotaryBase: 100 }, parameters: (d) => 4 * d * d + 4 * 3 * d },
      { config: { heads: 4, convolution: 1 }, parameters: (d) => 4 * d * d + 3 * d },
    ],
    taps: (B, T, d, h) => ({
      query: [B, T, h, d / h],
      key: [B, T, h, d / h],
      value: [B, T, h, d / h],
      heads: [B, T, h, d / h],
      residual: [B, T, d],
    }),
  },
};

const names = Object.keys(models) as ModelName[]; // Object.keys forgets the key type
const cases = names.flatMap((name) =>
  subjects[name].rows.map(({ config, parameters }) => ({
    name,
    shown: JSON.stringify(config),
    config,
    parameters,
    model: small(name, config),
  })),
);

/** Logits [T][V] of one sequence, in plain numbers. */
function naive(name: ModelName, model: Model, weights: Weights, tokens: readonly number[]): number[][] {
  const { twin } = subjects[name];
  return logitsNaive(tokens, weights, model.layers, (x, own) => twin(x, own, model.own as never)); // its own twin
}

describe.each(cases)("$name $shown", ({ name, config, model, parameters }) => {
  const tree = varied(model);
  const heads = name === "lstm" ? 1 : ((model.own as { heads: number }).heads ?? 1);

  test.each([1, 2, 33, 65])("logits of %d tokens are those of the naive twin", async (length) => {
    const tokens = randomTokens(rngFrom(length), 2, length);
    const { logits } = await runParallel(model, tree, tokens);
    const wanted = tokens.map((row) => naive(name, model, weightsOf(tree), row));
    expect(furthest(wanted, [[0]])).toBeGreaterThan(0.5); // logits that are all near 0 would agree with anything
    expect(furthest(logits, wanted)).toBeLessThan(1e-4);
  });

  test("a token changes its own logits and later ones, and no earlier bit", async () => {
    const length = 37;
    const runner = await parallelRunner(model, tree, 1, length);
    const tokens = randomTokens(rngFrom(2), 1, length);
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

  test("the same seed gives the same weights and logits, bit for bit, and another seed others", async () => {
    const tokens = randomTokens(rngFrom(3), 2, 9);
    const run = async (seed: number) => {
      const fresh = initialParameters(model, rngFrom(seed));
      const { logits } = await runParallel(model, fresh, tokens);
      return { numbers: numbersOf(fresh), logits };
    };
    const first = await run(5);
    expect(await run(5)).toEqual(first);
    expect((await run(6)).logits).not.toEqual(first.logits);
  });

  test("gradients of every parameter are the slopes of the twin's loss", async () => {
    const checked = await gradientsAndSlopes(name, model, tree);
    expect(disagreements(checked)).toEqual([]);
  });

  test("one step at a time gives the logits and taps of the whole sequence", async () => {
    const length = 35;
    const tokens = randomTokens(rngFrom(4), 2, length);
    const whole = await runParallel(model, tree, tokens, { taps: true });
    const steps = await runSteps(model, tree, tokens, length);
    expect(furthest(steps.logits, whole.logits)).toBeLessThan(1e-4);
    expect(Object.keys(steps.taps).sort()).toEqual(Object.keys(whole.taps).sort());
    for (const [tap, { shape, data }] of Object.entries(whole.taps)) {
      expect(steps.taps[tap].shape, tap).toEqual([...shape]);
      expect(furthest([...steps.taps[tap].data], [...data]), tap).toBeLessThan(1e-4);
    }
  });

  test("a batch gives what each of its sequences gives alone", async () => {
    const tokens = randomTokens(rngFrom(5), 3, 10);
    const together = await runParallel(model, tree, tokens);
    const alone = await parallelRunner(model, tree, 1, 10);
    for (const [row, sequence] of tokens.entries()) {
      const { logits } = await alone.run([sequence]);
      expect(furthest(together.logits[row], logits[0])).toBeLessThan(2e-5);
    }
    await alone.release();
  });

  test("eight examples are learned by heart in 250 steps", async () => {
    const wide = small(name, { ...config, width: 16, feedForward: 32 });
    const before = Math.log(vocabulary);
    const losses = await fit(wide, 250);
    expect(Math.abs(losses[0] - before)).toBeLessThan(0.1); // small initial weights: a uniform guess
    expect(losses.at(-1)).toBeLessThan(0.05);
  });

  test("interventions of scale 1 and replacement 0 change no bit", async () => {
    const tokens = randomTokens(rngFrom(6), 2, 12);
    const { logits } = await runParallel(model, tree, tokens);
    const neutral = await runParallel(model, tree, tokens, { interventions: {} });
    expect(neutral.logits).toEqual(logits);
  });

  test("scale 0 takes a head out of the model, as zero rows of the output layer do", async () => {
    const tokens = randomTokens(rngFrom(7), 2, 12);
    const { logits: intact } = await runParallel(model, tree, tokens);
    for (let head = 0; head < heads; head++) {
      const scale = filled([heads], 1);
      scale[head] = 0;
      const ablated = await runParallel(model, tree, tokens, {
        interventions: { "interventions.1.scale": scale },
      });
      const weights = weightsOf(tree);
      const own = model.width / heads;
      weights["layers.1.mixer.out"] = weights["layers.1.mixer.out"].map((row, i) =>
        Math.floor(i / own) === head ? row.map(() => 0) : row,
      );
      const wanted = tokens.map((row) => naive(name, model, weights, row));
      expect(furthest(ablated.logits, wanted)).toBeLessThan(1e-4);
      expect(furthest(ablated.logits, intact)).toBeGreaterThan(1e-2);
    }
  });

  test("patched with what its heads read in another run, the model continues as in that run", async () => {
    const length = 14;
    const [here, there] = randomTokens(rngFrom(8), 2, length);
    const shared = 9; // from here on the two sequences are the same, so that only the heads know the difference
    const target = [...here.slice(0, shared), ...there.slice(shared)];
    const wanted = await runParallel(model, tree, [there], { taps: true });
    const interventions = Object.fromEntries(
      Array.from({ length: model.layers }, (_, layer) => [
        [`interventions.${layer}.scale`, filled([heads], 0)],
        [`interventions.${layer}.replacement`, wanted.taps[`layers.${layer}.heads`].data],
      ]).flat(),
    );
    const unpatched = await runParallel(model, tree, [target]);
    const patched = await runParallel(model, tree, [target], { interventions });
    expect(furthest(unpatched.logits[0].slice(shared), wanted.logits[0].slice(shared))).toBeGreaterThan(1e-3);
    expect(furthest(patched.logits[0].slice(shared), wanted.logits[0].slice(shared))).toBeLessThan(1e-6);
    expect(furthest(patched.logits[0].slice(0, shared), wanted.logits[0].slice(0, shared))).toBeGreaterThan(
      1e-2,
    );
  });

  test("taps have the documented shapes", async () => {
    const { taps } = await runParallel(model, tree, randomTokens(rngFrom(9), 2, 7), { taps: true });
    const wanted = Object.entries(subjects[name].taps(2, 7, model.width, heads));
    const layers = Array.from({ length: model.layers }, (_, layer) => layer);
    expect(Object.fromEntries(Object.entries(taps).map(([tap, { shape }]) => [tap, shape]))).toEqual(
      Object.fromEntries(
        layers.flatMap((layer) => wanted.map(([tap, shape]) => [`layers.${layer}.${tap}`, shape])),
      ),
    );
  });

  test("the exported files hold standard operators only and give the same logits", async () => {
    const { ort, options } = nodeRuntime();
    const [tokens] = randomTokens(rngFrom(10), 1, 19);
    const numbers = numbersOf(tree);
    const { logits: wanted } = await runParallel(model, tree, [tokens]);

    const file = sequenceOnnx(model, tree, numbers, tokens.length);
    expect(Buffer.from(file).includes("com.microsoft")).toBe(false);
    const whole = await ort.InferenceSession.create(file, options);
    const shape = [1, tokens.length];
    const { logits } = await whole.run({ tokens: new ort.Tensor("int32", Int32Array.from(tokens), shape) });
    expect(logits.dims).toEqual([1, tokens.length, vocabulary]);
    expect(furthest(rowsOf(logits.data as Float32Array, 1, tokens.length), wanted)).toBeLessThan(1e-4);
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
    for (const [layers, d, f] of [
      [1, 8, 5],
      [3, 16, 24],
    ]) {
      const sized = small(name, { ...config, layers, width: d, feedForward: f });
      const count = parameterCount(initialParameters(sized, rngFrom(0)));
      expect(count).toBe(layers * (parameters(d) + 3 * d * f + 2 * d) + 2 * vocabulary * d + d);
    }
  });

  test("the description configures the same model again", () => {
    const again = configureModel(modelNamed(name), describeModel(model), vocabulary, "model");
    expect(again).toEqual(model);
  });
});

test("a gradient that is wrong by one percent in one parameter is found out", async () => {
  const model = small("deltanet", {});
  const checked = await gradientsAndSlopes("deltanet", model, varied(model));
  const wrong = checked.map((each) =>
    each.path === "layers.0.mixer.beta" ? { ...each, gradient: 1.01 * each.gradient } : each,
  );
  expect(new Set(disagreements(wrong).map(({ path }) => path))).toEqual(new Set(["layers.0.mixer.beta"]));
});

test("the Transformer of B's experiments has the published number of parameters", () => {
  const config = { name: "transformer", layers: 6, width: 512, heads: 8, feedForward: 768 };
  const model = configureModel(modelNamed("transformer"), config, 259, "model");
  const flat = { normal: () => 0 }; // only shapes count
  const rng = { ...rngFrom(0), ...flat, fork: () => rng } as ReturnType<typeof rngFrom>;
  expect(parameterCount(initialParameters(model, rng))).toBe(13_641_216);
});

test.each([1, 2] as const)(
  "with betaMax %d keys are unit vectors and beta fills (0, betaMax)",
  async (betaMax) => {
    const model = small("deltanet", { betaMax });
    const { taps } = await runParallel(model, varied(model), randomTokens(rngFrom(11), 4, 40), {
      taps: true,
    });
    const { data: keys } = taps["layers.0.key"];
    const width = model.width / 2;
    for (let i = 0; i < keys.length; i += width) {
      const key = keys.subarray(i, i + width);
      expect(Math.hypot(...key)).toBeCloseTo(1, 3);
    }
    const { data: betas } = taps["layers.0.beta"];
    expect(Math.min(...betas)).toBeGreaterThan(0);
    expect(Math.min(...betas)).toBeLessThan(0.3 * betaMax);
    expect(Math.max(...betas)).toBeLessThan(betaMax);
    expect(Math.max(...betas)).toBeGreaterThan(0.7 * betaMax);
  },
);

test.each([
  ["open", 100, (t: number) => t + 1],
  ["shut", -100, () => 1],
])(
  "an LSTM whose forget gate begins %s holds the sum, or the last, of what was written",
  async (_, forgetBias, held) => {
    const model = small("lstm", { layers: 1, forgetBias });
    const fresh = initialParameters(model, rngFrom(14));
    const path = "layers.0.mixer.recurrent";
    const tree = withData(fresh, { ...numbersOf(fresh), [path]: numbersOf(fresh)[path].map(() => 0) });
    const { taps } = await runParallel(model, tree, [new Array<number>(6).fill(3)], { taps: true });
    const cells = rowsOf(taps["layers.0.cell"].data, 1, 6)[0]; // the same token again and again
    expect(Math.max(...cells[0].map(Math.abs))).toBeGreaterThan(0.1);
    for (const [t, cell] of cells.entries()) {
      for (const [i, each] of cell.entries()) expect(each).toBeCloseTo(held(t) * cells[0][i], 4);
    }
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
  [
    "lstm",
    { heads: 2 },
    'run.yaml: expected one of name, layers, width, feedForward, forgetBias, got "heads"',
  ],
  [
    "transformer",
    { witdh: 32 },
    'run.yaml: expected one of name, layers, width, feedForward, heads, convolution, rotaryBase, got "witdh". Did you mean width?',
  ],
])("%s refuses %j in one sentence", (name, config, sentence) => {
  const configure = () => {
    const model = configureModel(modelNamed(name), { name, ...config }, vocabulary, "run.yaml");
    return initialParameters(model, rngFrom(0));
  };
  expect(configure).toThrow(new LabError(sentence));
});

test("an unknown model is refused, and the known ones are listed", () => {
  expect(() => modelNamed("toString")).toThrow(
    'model: expected one of deltanet, lstm, transformer, got "toString". Your own model: --model ./mine.ts',
  );
});

interface Slope {
  readonly path: string;
  /** The entry that was moved, or "all" for a random direction. */
  readonly entry: number | "all";
  readonly gradient: number;
  readonly slope: number;
  /** Of the gradient along this direction, what float32 may lose. */
  readonly scale: number;
}

/**
 * dL/dp from the training graph (float32), and (L(p + h u) - L(p - h u)) / 2h of the naive twin (float64), for single
 * entries and a random direction u of every parameter p.
 */
async function gradientsAndSlopes(name: ModelName, model: Model, tree: ModelParameters): Promise<Slope[]> {
  const [batch, length, step, entries] = [2, 7, 1e-5, 5];
  const rng = rngFrom(12);
  const tokens = randomTokens(rng, batch, length);
  const targets = randomTokens(rng, batch, length);
  const weights = tokens.map((row) => row.map(() => rng.below(3))); // 0 somewhere, and unequal
  const { graph, outputs } = trainingGraph(model, tree, batch, length);
  const compiled = await compile(graph, outputs, runtime);
  const results = await compiled.run({
    ...numbersOf(tree),
    tokens: Int32Array.from(tokens.flat()),
    targets: Int32Array.from(targets.flat()),
    weights: Float32Array.from(weights.flat()),
  });
  await compiled.release();

  const numbers = weightsOf(tree);
  const loss = () => {
    let [total, count] = [0, 0];
    for (const [b, row] of tokens.entries()) {
      for (const [t, logits] of naive(name, model, numbers, row).entries()) {
        const logTotal = Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0));
        total += weights[b][t] * (logTotal - logits[targets[b][t]]);
        count += weights[b][t];
      }
    }
    return total / count;
  };
  expect(Math.abs(Number(results.loss[0]) - loss())).toBeLessThan(1e-5);

  return Object.entries(numbers).flatMap(([path, rows]): Slope[] => {
    const gradient = Array.from(results[gradientName(path)] as Float32Array);
    const width = rows[0].length;
    const largest = gradient.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    const slopeAlong = (direction: readonly number[]) => {
      const original = rows.map((row) => [...row]);
      const lossAt = (by: number) => {
        for (const [i, row] of rows.entries())
          for (const j of row.keys()) row[j] = original[i][j] + by * direction[i * width + j];
        return loss();
      };
      const slope = (lossAt(step) - lossAt(-step)) / (2 * step);
      lossAt(0);
      return slope;
    };
    const signs = gradient.map(() => 2 * rng.below(2) - 1);
    const picked = Array.from({ length: entries }, () => rng.below(gradient.length));
    return [
      ...picked.map((entry) => ({
        path,
        entry,
        gradient: gradient[entry],
        slope: slopeAlong(gradient.map((_, i) => (i === entry ? 1 : 0))),
        scale: largest,
      })),
      {
        path,
        entry: "all",
        gradient: gradient.reduce((total, each, i) => total + each * signs[i], 0),
        slope: slopeAlong(signs),
        scale: largest * Math.sqrt(gradient.length),
      },
    ];
  });
}

function disagreements(checked: readonly Slope[]): Slope[] {
  return checked.filter(({ gradient, slope, scale }) => !(Math.abs(gradient - slope) < 1e-3 * scale + 1e-6));
}

/** Trains on eight sequences with different first tokens, so that everything after them can be known; the losses. */
async function fit(model: Model, steps: number): Promise<number[]> {
  const [batch, length] = [8, 6];
  const rng = rngFrom(13);
  const sequences = randomTokens(rng, batch, length + 1).map((row, i) => row.with(0, i));
  const tree = initialParameters(model, rng.fork("parameters"));
  const { graph, outputs } = trainingGraph(model, tree, batch, length);
  const compiled = await compile(graph, outputs, runtime);
  const data = {
    tokens: Int32Array.from(sequences.flatMap((row) => row.slice(0, -1))),
    targets: Int32Array.from(sequences.flatMap((row) => row.slice(1))),
    weights: filled([batch, length], 1),
  };
  const numbers = Object.entries(numbersOf(tree));
  const moments = numbers.map(([, { length: size }]) => emptyMoments(size));
  const losses: number[] = [];
  const config = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clip: 1 };
  for (let step = 0; step < steps; step++) {
    const results = await compiled.run({ ...Object.fromEntries(numbers), ...data });
    losses.push(Number(results.loss[0]));
    for (const [i, [path, values]] of numbers.entries()) {
      adamW(values, results[gradientName(path)] as Float32Array, moments[i], 0.02, config, []);
    }
  }
  await compiled.release();
  return losses;
}
