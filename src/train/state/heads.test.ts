import { describe, expect, test } from "vitest";
import type { Rng } from "../../math/rng.ts";
import { rngFrom } from "../../math/rng.ts";
import { configureModel, initialParameters, modelNamed } from "../../models/index.ts";
import { StateSupervision } from "../../records/run.ts";
import {
  batchWriter,
  emptyBatch,
  exampleStream,
  maximumLength,
  prepareTask,
  stateSizes,
  taskNamed,
  tokenizerNamed,
} from "../../tasks/index.ts";
import { compile, flattenParameters, Graph, type Parameter, type Tensor } from "../../tensor/index.ts";
import { runtime } from "../fixture.test-helper.ts";
import { gradientName, trainingGraph } from "../graph.ts";
import { contrastiveHead } from "./contrastive.ts";
import { STATE_HEAD, stateSupervision } from "./index.ts";

const ROWS = 3;

/** A tiny model on a task with a batch of it; `redraw` gives every parameter other numbers, far from the initial ones. */
function setup(task: string, params: object, supervision: object, mixer = "transformer") {
  const prepared = prepareTask(taskNamed(task), params);
  const tokenizer = tokenizerNamed("word", prepared.words);
  const form = StateSupervision.parse(supervision);
  const length = maximumLength(prepared, tokenizer);
  const sizes = stateSizes(prepared, tokenizer, form, length);
  const batch = emptyBatch(ROWS, length, sizes);
  batchWriter(prepared, tokenizer, "next-token", { states: form })(batch, exampleStream(2, "train"), 0);
  const heads = mixer === "transformer" ? { heads: 2 } : {};
  const shape = { name: mixer, layers: 2, width: 8, ...heads };
  const model = configureModel(modelNamed(mixer), shape, prepared.words.length, "model");
  const own = stateSupervision(form, model, prepared, tokenizer);
  const rng = rngFrom(5);
  const tree = { ...initialParameters(model, rng.fork("model")), [STATE_HEAD]: own.init(rng.fork("head")) };
  const { graph, outputs } = trainingGraph(model, tree, ROWS, length, { supervision: own, sizes });
  const parameters = Object.fromEntries(
    flattenParameters(tree).map(([path, parameter]) => [path, redrawn(parameter, rng.fork(path))]),
  );
  const { tokens, targets, weights } = batch;
  const feeds = { tokens, targets, weights, ...(batch.states && own.feeds(batch.states)) };
  return { graph, outputs, parameters, feeds, weight: own.weight, batch, tokenizer };
}

function redrawn({ data }: Parameter, rng: Rng): Float32Array<ArrayBuffer> {
  return Float32Array.from(data, (x) => x + 0.3 * rng.normal());
}

const cases = [
  ["linear", "parity-program", { length: 3 }, { head: "linear" }],
  [
    "linear on one of several layers, changed variables",
    "repl",
    { commands: 2, spacing: 2 },
    { head: "linear", layer: 0, state: "changed" },
  ],
  ["decoder", "arithmetic-program", { length: 2, digits: 2 }, { head: "decoder", state: "changed" }],
  ["decoder at every token", "parity-program", { length: 2 }, { head: "decoder", position: "line" }],
  ["contrastive", "list-permutation", { size: 3, length: 3 }, { head: "contrastive" }],
  ["contrastive, weight 2", "parity-program", { length: 3 }, { head: "contrastive", weight: 2, layer: 0 }],
] as const;

describe.each(cases)("%s", (_, task, params, supervision) => {
  test.each(["transformer", "gru"])(
    "the gradient of the weighted sum is that of finite differences, %s",
    async (mixer) => {
      const { graph, outputs, parameters, feeds, weight } = setup(task, params, supervision, mixer);
      const run = await compile(graph, outputs, runtime);
      const total = async () => {
        const { loss, stateLoss } = await run.run({ ...feeds, ...parameters });
        return Number(loss[0]) + weight * Number(stateLoss[0]);
      };
      const given = await run.run({ ...feeds, ...parameters });
      const rng = rngFrom(9);
      for (const [path, numbers] of Object.entries(parameters)) {
        // Along a random direction of +-1, which no wrong element escapes.
        const direction = Array.from(numbers, () => (rng.below(2) === 0 ? -1 : 1));
        const gradient = given[gradientName(path)] as Float32Array;
        const slope = direction.reduce((sum, sign, i) => sum + sign * gradient[i], 0);
        const before = numbers.slice();
        const at = async (step: number) => {
          for (let i = 0; i < numbers.length; i++) numbers[i] = before[i] + step * direction[i];
          return total();
        };
        const h = 5e-4;
        const measured = (await at(h)) - (await at(-h));
        numbers.set(before);
        const size = Math.max(1, ...gradient.map(Math.abs));
        expect(Math.abs(measured / (2 * h) - slope) / size, path).toBeLessThan(0.03);
      }
      await run.release();
    },
  );
});

test.each([
  ["linear", "parity-program", { length: 4 }, Math.log(2)],
  ["linear", "list-permutation", { size: 4, length: 3 }, Math.log(4)],
  // Its words, and the end.
  ["decoder", "parity-program", { length: 4 }, Math.log(7)],
])(
  "with zeros for its last weights the %s head on %s guesses uniformly",
  async (head, task, params, wanted) => {
    const { graph, outputs, parameters, feeds } = setup(task, params, { head });
    const last = [`${STATE_HEAD}.weight`, `${STATE_HEAD}.bias`, `${STATE_HEAD}.decoder.head`];
    for (const path of last) parameters[path]?.fill(0);
    const run = await compile(graph, { stateLoss: outputs.stateLoss }, runtime);
    const { stateLoss } = await run.run({ ...feeds, ...parameters });
    expect(Number(stateLoss[0])).toBeCloseTo(wanted, 5);
    await run.release();
  },
);

test("the contrastive loss is the written sum, in which equal states of one program are never negatives", async () => {
  const [rows, questions, width] = [2, 4, 64];
  const rng = rngFrom(3);
  const draw = () => Float32Array.from({ length: rows * questions * width }, () => rng.normal());
  const [hidden, states] = [draw(), draw()];
  // Row 0: states 5, 6, 5, 7. Row 1: 6, 6 and nothing more.
  const text = Int32Array.of(5, 6, 5, 7, 6, 6, 0, 0);
  const weights = Float32Array.of(1, 1, 1, 1, 1, 1, 0, 0);
  const sizes = { questions, variables: 1, text: 1 };
  const none = new Int32Array(0);
  const head = contrastiveHead({ model: { width } } as Parameters<typeof contrastiveHead>[0]);
  const asked = {
    sizes,
    text,
    weights,
    textLengths: Int32Array.from(weights),
    positions: none,
    values: none,
  };
  const feeds = head.feeds({ ...asked, valueWeights: new Float32Array(0) });

  const graph = new Graph();
  const given = (name: string) => graph.input(name, [rows * questions, width]);
  const [h, s] = [given("hidden"), given("states")];
  const tensors = graph.parameters(head.init(rng));
  const { loss, accuracy } = head.loss(tensors, { graph, rows, sizes, hidden: h, read: (): Tensor => s });
  const run = await compile(graph, { loss, accuracy }, runtime);
  const identity = Float32Array.from({ length: width * width }, (_, i) => Number(i % (width + 1) === 0));
  const parameters = { program: identity, state: identity, logScale: Float32Array.of(1.5) };
  const found = await run.run({ ...feeds, ...parameters, hidden, states });

  const unit = (x: Float32Array, i: number) => {
    const row = [...x.subarray(i * width, (i + 1) * width)];
    return row.map((each) => each / Math.hypot(...row));
  };
  const z = (i: number, j: number) =>
    Math.exp(1.5) * unit(hidden, i).reduce((sum, each, k) => sum + each * unit(states, j)[k], 0);
  const used = [0, 1, 2, 3, 4, 5];
  const rivals = (i: number) =>
    used.filter(
      (j) => Math.floor(i / questions) === Math.floor(j / questions) && (i === j || text[i] !== text[j]),
    );
  const surprise = (i: number, score: (j: number) => number) =>
    Math.log(rivals(i).reduce((sum, j) => sum + Math.exp(score(j)), 0)) - score(i);
  const mean = (values: number[]) => values.reduce((a, b) => a + b) / values.length;
  const [toStates, toPrograms] = [
    mean(used.map((i) => surprise(i, (j) => z(i, j)))),
    mean(used.map((i) => surprise(i, (j) => z(j, i)))),
  ];
  expect(Number(found.loss[0])).toBeCloseTo((toStates + toPrograms) / 2, 4);
  const right = used.filter((i) => rivals(i).every((j) => z(i, j) <= z(i, i)));
  expect(Number(found.accuracy[0])).toBeCloseTo(right.length / used.length, 5);
  expect(rivals(4)).toEqual([4]); // nothing to tell it from: it costs nothing
  await run.release();
});

test("the decoder is asked to spell the state and then to end, and for nothing behind it", () => {
  const { feeds, batch, tokenizer } = setup(
    "list-permutation",
    { size: 3, length: [1, 2] },
    { head: "decoder", state: "changed" },
  );
  const { "state.targets": targets, "state.targetWeights": weights } = feeds as Record<
    string,
    Int32Array | Float32Array
  >;
  const length = batch.states!.sizes.text + 1;
  let short = 0;
  for (const [q, used] of batch.states!.textLengths.entries()) {
    const row = [...targets.subarray(q * length, (q + 1) * length)];
    const text = [...batch.states!.text.subarray(q * (length - 1), q * (length - 1) + used)];
    const asked = batch.states!.weights[q] === 1;
    expect(row.slice(0, used + 1)).toEqual(asked ? [...text, tokenizer.tokens.length] : [0]);
    const wanted = row.map((_, i) => Number(asked && i <= used));
    expect([...weights.subarray(q * length, (q + 1) * length)]).toEqual(wanted);
    if (used > 0 && used < length - 1) short++;
  }
  expect(short).toBeGreaterThan(0);
});

test.each([
  [
    { head: "linear" },
    "arithmetic-program",
    'stateSupervision.head: expected "decoder" or "contrastive" for a task whose values are several tokens, got "linear"',
  ],
  [{ layer: 2 }, "parity-program", "stateSupervision.layer: expected a layer of 0 to 1, got 2"],
])("%j on %s is refused in one sentence", (supervision, task, sentence) => {
  expect(() => setup(task, {}, supervision)).toThrow(sentence);
});
