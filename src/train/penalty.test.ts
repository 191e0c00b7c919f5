import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { mean } from "../core/statistics.ts";
import { parameterData, randomTokens, small, varied } from "../models/conformance.test-helper.ts";
import type { Model, ModelParameters } from "../models/index.ts";
import { penaltyNames } from "../models/stack.ts";
import { allocateBatch, batchView, emptyBatch } from "../tasks/batch.ts";
import { compile, sum } from "../tensor/index.ts";
import { recordsOf, runtime, setUpOf, tinyConfig, withTrainer } from "./fixture.test-helper.ts";
import { gradientName, trainingGraph } from "./graph.ts";

const [PARTITIONS, CHOSEN, WEIGHT] = [4, 2, 0.7];
const balanced = (balance: number, more: object = {}) =>
  small("sse", { layers: 1, width: 8, partitions: PARTITIONS, chosen: CHOSEN, balance, ...more });

/** The header of models/sse.ts in plain numbers, for a model whose one layer reads the embeddings. */
function unevenness(numbers: Readonly<Record<string, Float32Array>>, rows: readonly (readonly number[])[]) {
  const { embedding, "layers.0.mixerNorm": gains, "layers.0.mixer.router": router } = numbers;
  const width = gains.length;
  const tokens = rows.flat();
  const [shares, uses] = [new Array(PARTITIONS).fill(0), new Array(PARTITIONS).fill(0)];
  for (const token of tokens) {
    const x = Array.from(embedding.subarray(token * width, (token + 1) * width));
    const size = Math.sqrt(x.reduce((sum, each) => sum + each * each, 0) / width + 1e-6);
    const logits = shares.map((_, p) =>
      x.reduce((sum, each, i) => sum + (each / size) * gains[i] * router[i * PARTITIONS + p], 0),
    );
    const total = logits.reduce((sum, each) => sum + Math.exp(each), 0);
    const order = logits.map((each, p) => [each, p]).toSorted(([a], [b]) => b - a);
    for (const [p, each] of logits.entries()) shares[p] += Math.exp(each) / total / tokens.length;
    for (const [, p] of order.slice(0, CHOSEN)) uses[p] += 1 / tokens.length;
  }
  return (PARTITIONS / CHOSEN) * shares.reduce((sum, share, p) => sum + share * uses[p], 0);
}

/** All that a step computes for rows of tokens, of which the last are filled up with words that belong to nothing. */
async function stepOf(model: Model, tree: ModelParameters, rows: readonly (readonly number[])[]) {
  const length = Math.max(...rows.map((row) => row.length));
  const filled = rows.map((row) => [...row, ...new Array(length - row.length).fill(3)]);
  const { graph, outputs, penalised } = trainingGraph(model, rows.length, length);
  const run = await compile(graph, outputs, runtime);
  const inUse = rows.flatMap((row) => Array.from({ length }, (_, t) => Number(t < row.length)));
  const found = await run.run({
    ...parameterData(tree),
    tokens: Int32Array.from(filled.flat()),
    targets: Int32Array.from(filled.flat()),
    weights: Float32Array.from(inUse),
    ...(penalised && { inUse: Float32Array.from(inUse) }),
  });
  await run.release();
  return found as Readonly<Record<string, Float32Array>>;
}

const rng = rngFrom(4);
const rows = [...randomTokens(rng, 2, 9), ...randomTokens(rng, 1, 4), ...randomTokens(rng, 1, 1)];

test("uneven use of SSE's memories is what its header says, over the tokens of the examples alone", async () => {
  const model = balanced(WEIGHT);
  const tree = varied(model);
  const { "layers.0.balance": found, loss } = await stepOf(model, tree, rows);
  expect(found[0]).toBeCloseTo(unevenness(parameterData(tree), rows), 5);
  const all = rows.map((row) => [...row, ...new Array(9 - row.length).fill(3)]);
  expect(Math.abs(found[0] - unevenness(parameterData(tree), all))).toBeGreaterThan(1e-3); // filling would count
  const { loss: without } = await stepOf(balanced(0), tree, rows);
  expect(loss[0]).toBe(without[0]); // written down apart
});

test("its gradient is that of its weight times the number: slopes of plain numbers, on top of what the loss has", async () => {
  const model = balanced(WEIGHT);
  const tree = varied(model);
  const [with_, without] = [await stepOf(model, tree, rows), await stepOf(balanced(0), tree, rows)];
  const numbers = parameterData(tree);
  for (const path of ["layers.0.mixer.router", "layers.0.mixerNorm", "embedding"]) {
    const added = with_[gradientName(path)].map((each, i) => each - without[gradientName(path)][i]);
    let most = 0;
    for (const [i, each] of added.entries()) {
      const moved = (by: number) => {
        const other = Float64Array.from(numbers[path]);
        other[i] += by;
        return unevenness({ ...numbers, [path]: other as unknown as Float32Array }, rows);
      };
      const slope = (WEIGHT * (moved(1e-5) - moved(-1e-5))) / 2e-5;
      expect(each, `${path} ${i}`).toBeCloseTo(slope, 4);
      most = Math.max(most, Math.abs(slope));
    }
    expect(most).toBeGreaterThan(1e-3);
  }
  for (const path of ["layers.0.mixer.qkv", "head"])
    expect(with_[gradientName(path)]).toEqual(without[gradientName(path)]);
});

test("it is 1 where all memories are used alike, and N / K at most", async () => {
  const model = balanced(WEIGHT);
  const tree = varied(model);
  const numbers = parameterData(tree);
  const same = structuredClone(numbers);
  same["layers.0.mixer.router"].fill(0);
  const even = await stepOf(model, withNumbers(tree, same), rows);
  expect(even["layers.0.balance"][0]).toBeCloseTo(1, 5); // shares are even, whatever is chosen
  same["layers.0.mixer.router"] = numbers["layers.0.mixer.router"].map(
    (_, i) => (i % PARTITIONS < CHOSEN ? 1 : -1) * (Math.floor(i / PARTITIONS) === 0 ? 500 : 0),
  );
  same.embedding = numbers.embedding.map((each, i) => (i % 8 === 0 ? 3 : each));
  same["layers.0.mixerNorm"] = numbers["layers.0.mixerNorm"].map(Math.abs);
  const uneven = await stepOf(model, withNumbers(tree, same), rows);
  expect(uneven["layers.0.balance"][0]).toBeCloseTo(PARTITIONS / CHOSEN, 4);
});

function withNumbers(
  tree: ModelParameters,
  numbers: Readonly<Record<string, Float32Array>>,
): ModelParameters {
  const of = (each: object, path: string): object =>
    "data" in each
      ? { ...each, data: numbers[path] }
      : Object.fromEntries(
          Object.entries(each).map(([key, value]) => [key, of(value, path === "" ? key : `${path}.${key}`)]),
        );
  return of(tree, "") as ModelParameters;
}

test("a model tells the names of its penalties; without one its graph asks for nothing more", () => {
  expect(penaltyNames(balanced(0))).toEqual([]);
  expect(penaltyNames(balanced(0.1, { layers: 2 }))).toEqual(["layers.0.balance", "layers.1.balance"]);
  const inputsOf = (model: Model) => trainingGraph(model, 2, 5).graph.inputs.map(({ name }) => name);
  expect(inputsOf(balanced(0))).not.toContain("inUse");
  expect(inputsOf(balanced(0.1))).toContain("inUse");
});

test("what stands in front of the text, trained, is no example: it does not count", async () => {
  const plain = small("transformer", { layers: 1, width: 8, initialState: "trained" });
  const [{ mixer, own }] = plain.mixers;
  const counting: typeof mixer = {
    ...mixer,
    apply(p, x, config, context) {
      context.penalty("count", 1, (inUse) => {
        expect(inUse.shape).toEqual(x.shape.slice(0, 2));
        return sum(inUse);
      });
      return mixer.apply(p, x, config, context);
    },
  };
  const model = { ...plain, mixers: [{ mixer: counting, own }] };
  const { "layers.0.count": found } = await stepOf(model, varied(model), rows);
  expect(found[0]).toBe(rows.flat().length);
});

test("each step writes it down, training makes it smaller, and the model's own loss is told without it", async () => {
  const recordsWith = (balance: number, steps: number) => {
    const model = { name: "sse", partitions: 4, balance, heads: 2 };
    const config = tinyConfig({ steps, learningRate: 0.02, shares: 1 }, { threshold: 1 }, model);
    return withTrainer(config, (trainer) => recordsOf(trainer));
  };
  const [hardly, much] = [await recordsWith(1e-9, 140), await recordsWith(0.1, 140)];
  const last = (records: Awaited<ReturnType<typeof recordsWith>>) =>
    mean(records.slice(-20).map((record) => record["layers.0.balance"] as number));
  expect(last(hardly)).toBeGreaterThan(1.2);
  expect(last(much)).toBeLessThan(1.05);
  const [first] = await recordsWith(0, 1);
  expect(first).not.toHaveProperty("layers.0.balance");
  expect(much[0].loss).toBe(first.loss);
});

test("a batch in parts is refused, as means over the batch do not follow from those of its parts", async () => {
  const config = tinyConfig({ padding: "bucket" }, {}, { name: "sse", balance: 0.1 });
  expect(() => setUpOf(config)).toThrow(
    'train.padding: expected "max" or "longest" with the penalty layers.0.balance of the model, got "bucket"',
  );
});

test("tokens in use are those of the examples, wherever in a row they stand", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const batch = emptyBatch(lengths.length, 6);
      for (const [i, length] of lengths.entries()) {
        batch.starts[i] = 6 * i + (i % 2); // some rows begin with filling
        batch.lengths[i] = length;
      }
      const inUse = batchView(batch);
      expect(inUse.reduce((sum, each) => sum + each, 0)).toBe(lengths.reduce((sum, each) => sum + each, 0));
      for (const [at, each] of allocateBatch(batch).entries()) if (each === 1) expect(inUse[at]).toBe(1);
    }),
    { seed: 2 },
  );
});
