import { expect, test } from "vitest";
import type { Rng } from "../../math/rng.ts";
import { rngFrom } from "../../math/rng.ts";
import { configureModel, initialParameters, modelNamed, withData } from "../../models/index.ts";
import { weightsOf } from "../../models/naive.ts";
import { StateSupervision } from "../../records/run.ts";
import { emptyQuestions } from "../../tasks/batch/states.ts";
import { codeTracesTask } from "../../tasks/code-traces.ts";
import {
  type Batch,
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
import { lossNaive, stateLossNaive } from "./naive.test-helper.ts";

const ROWS = 2;
/** In float64. DeltaNet normalizes what its heads read, which may be next to nothing: there 1e-5 is too long a step already. */
const STEP = 1e-7;

/** Of one trace the states after both lines are asked for, of the other after the first. */
const traces = [
  {
    code: "a = 1\nb = a\nassert (b) == 1\n",
    literal: "1",
    lines: [
      { code: "a = 1", state: { a: 1 } },
      { code: "b = a", state: { a: 1, b: 1 } },
      { code: "assert (b) == 1", state: { a: 1, b: 1 } },
    ],
  },
  {
    code: "b = 2\na = [b, b, b]\nassert (b) == 2\n",
    literal: "2",
    lines: [
      { code: "b = 2", state: { b: 2 } },
      { code: "a = [b, b, b]", state: { b: 2, a: [2, 2, 2] } },
      { code: "assert (b) == 2", state: { b: 2, a: [2, 2, 2] } },
    ],
  },
];
const folder = { folder: "traces", mostStateWords: 7 };

/** A tiny model on a task with a batch of it; `redraw` gives every parameter other numbers, far from the initial ones. */
function setup(task: string, params: object, supervision: object, mixer = "transformer") {
  const prepared =
    task === "code-traces"
      ? prepareTask(codeTracesTask(traces), params)
      : prepareTask(taskNamed(task), params);
  const tokenizer = tokenizerNamed("word", prepared.words);
  const form = StateSupervision.parse(supervision);
  const length = maximumLength(prepared, tokenizer);
  const sizes = stateSizes(prepared, tokenizer, form, length);
  const batch = emptyBatch(ROWS, length, sizes);
  batchWriter(prepared, tokenizer, "next-token", { states: form })(batch, exampleStream(2, "train"), 0);
  const shape = { name: mixer, layers: 2, width: 8, heads: 2 };
  const model = configureModel(modelNamed(mixer), shape, prepared.words.length, "model");
  const own = stateSupervision(form, model, prepared, tokenizer);
  const rng = rngFrom(5);
  const tree = { ...initialParameters(model, rng.fork("model")), [STATE_HEAD]: own.init(rng.fork("head")) };
  const { graph, outputs } = trainingGraph(model, tree, ROWS, length, { supervision: own, sizes });
  const parameters = Object.fromEntries(
    flattenParameters(tree).map(([path, parameter]) => [path, redrawn(parameter, rng.fork(path))]),
  );
  const feeds = { ...batchFeeds(batch), ...(batch.states && own.feeds(batch.states)) };
  return { graph, outputs, parameters, feeds, own, weight: own.weight, batch, tokenizer, tree, model, form };
}

function batchFeeds({ tokens, targets, weights }: Batch) {
  return { tokens, targets, weights };
}

function redrawn({ data }: Parameter, rng: Rng): Float32Array<ArrayBuffer> {
  return Float32Array.from(data, (x) => x + 0.3 * rng.normal());
}

// Each head on a model that attends and on one that recurs.
const cases = [
  ["linear", "deltanet", "parity-program", { length: 2 }, { head: "linear" }],
  [
    "linear on one of several layers, changed variables",
    "transformer",
    "repl",
    { commands: 2, spacing: 2 },
    { head: "linear", layer: 0, state: "changed" },
  ],
  [
    "decoder, changed variables",
    "deltanet",
    "arithmetic-program",
    { length: 1, digits: 2 },
    { head: "decoder", state: "changed" },
  ],
  [
    "decoder at every token",
    "transformer",
    "parity-program",
    { length: 1 },
    { head: "decoder", position: "line" },
  ],
  ["contrastive", "transformer", "list-permutation", { size: 3, length: 2 }, { head: "contrastive" }],
  [
    "contrastive, weight 2",
    "deltanet",
    "parity-program",
    { length: 3 },
    { head: "contrastive", weight: 2, layer: 0 },
  ],
  ["decoder on code traces", "transformer", "code-traces", folder, { head: "decoder", state: "changed" }],
  ["contrastive on code traces", "transformer", "code-traces", folder, { head: "contrastive", state: "all" }],
] as const;

test.each(cases)(
  "%s, %s: losses and gradient of the weighted sum are those of the naive twin",
  async (_, mixer, task, params, supervision) => {
    const { tree, model, form, weight, batch, ...made } = setup(task, params, supervision, mixer);
    const run = await compile(made.graph, made.outputs, runtime);
    const given = await run.run({ ...made.feeds, ...made.parameters });
    await run.release();
    const numbers = weightsOf(withData(tree, made.parameters));
    const own = () => lossNaive(model, numbers, batch);
    const ofStates = () => weight * stateLossNaive(form, model, numbers, batch);
    expect(Number(given.loss[0])).toBeCloseTo(own(), 4);
    expect(weight * Number(given.stateLoss[0])).toBeCloseTo(ofStates(), 4);

    const rng = rngFrom(9);
    for (const [path, rows] of Object.entries(numbers)) {
      // Along a random direction of +-1, which no wrong element escapes.
      const gradient = [...(given[gradientName(path)] as Float32Array)];
      const signs = gradient.map(() => 2 * rng.below(2) - 1);
      const before = rows.map((row) => [...row]);
      const at = (step: number) => {
        for (const [i, row] of rows.entries())
          for (const j of row.keys()) row[j] = before[i][j] + step * signs[i * row.length + j];
        return path.startsWith(STATE_HEAD) ? ofStates() : own() + ofStates();
      };
      const measured = (at(STEP) - at(-STEP)) / (2 * STEP);
      at(0);
      const slope = gradient.reduce((all, each, i) => all + each * signs[i], 0);
      expect(Math.abs(measured - slope), path).toBeLessThan(1e-3 * Math.hypot(...gradient) + 1e-6);
    }
  },
);

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

test.each(["decoder", "contrastive"])(
  "where a batch asks for no state, the %s head's loss is 0 and all gradient is the model's own",
  async (head) => {
    const { graph, outputs, parameters, feeds, own, batch, model, tree } = setup("code-traces", folder, {
      head,
    });
    const run = await compile(graph, outputs, runtime);
    const states = batch.states!; // of a task that tells them
    const { weights, textLengths, text } = emptyQuestions(ROWS, states.sizes);
    const nothing = own.feeds({ ...states, weights, textLengths, text });
    const given = await run.run({ ...feeds, ...nothing, ...parameters });
    await run.release();
    expect([given.stateLoss[0], given.stateAccuracy[0]].map((x) => Math.abs(Number(x)))).toEqual([0, 0]);

    const bare = trainingGraph(model, tree, ROWS, batch.length);
    const plain = await compile(bare.graph, bare.outputs, runtime);
    const alone = await plain.run({ ...batchFeeds(batch), ...parameters });
    await plain.release();
    for (const path of Object.keys(parameters)) {
      const gradient = given[gradientName(path)];
      const wanted = alone[gradientName(path)] ?? new Float32Array(gradient.length);
      for (const [i, each] of gradient.entries())
        expect(Number(each), path).toBeCloseTo(Number(wanted[i]), 6);
    }
  },
);

test.each([
  [
    { head: "linear" },
    "arithmetic-program",
    'stateSupervision.head: expected "decoder" or "contrastive" for a task whose values are several tokens, got "linear"',
  ],
  [
    { head: "linear" },
    "code-traces",
    'stateSupervision.head: expected "decoder" or "contrastive" for a task whose variables come and go, got "linear". It has one classifier for each of fixed variables',
  ],
  [{ layer: 2 }, "parity-program", "stateSupervision.layer: expected a layer of 0 to 1, got 2"],
])("%j on %s is refused in one sentence", (supervision, task, sentence) => {
  const params = task === "code-traces" ? folder : {};
  expect(() => setup(task, params, supervision)).toThrow(sentence);
});
