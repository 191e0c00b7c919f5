import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { modelNamed } from "../../models/index.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { type Task, taskNamed } from "../../tasks/index.ts";
import { compile, Graph, type Tensor } from "../../tensor/index.ts";
import { gradientName } from "../graph.ts";
import { setUp } from "../setup.ts";
import { contrastiveHead } from "./contrastive.ts";
import { computed, folder, ROWS, runtime, SEED, setupOf } from "./setup.test-helper.ts";
import { STATE_HEAD } from "./state/supervision.ts";
import { questionsIn } from "./state/targets.test-helper.ts";

test.each([
  ["linear", "parity-program", { length: 4 }, Math.log(2)],
  ["linear", "list-permutation", { size: 4, length: 3 }, Math.log(4)],
  // Its words, and the end.
  ["decoder", "parity-program", { length: 4 }, Math.log(7)],
] as const)(
  "with zeros for its last weights the %s head on %s guesses uniformly",
  async (head, task, params, wanted) => {
    const given = setupOf(head, { task, params, form: {} });
    const last = [`${STATE_HEAD}.weight`, `${STATE_HEAD}.bias`, `${STATE_HEAD}.decoder.head`];
    for (const path of last) given.parameters[path]?.fill(0);
    const { found } = await computed(given, [given.first, given.own]);
    expect(Number(found.stateLoss[0])).toBeCloseTo(wanted, 5);
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
  const form = { state: "changed", position: "newline" } as const;
  const { feeds, prepared, tokenizer } = setupOf("decoder", {
    task: "list-permutation",
    params: { size: 3, length: [1, 2] },
    form,
  });
  const { questions } = questionsIn(prepared, tokenizer, form, { rows: ROWS, seed: SEED });
  const { "state.targets": targets, "state.targetWeights": weights } = feeds as Record<
    string,
    Int32Array | Float32Array
  >;
  const length = questions.sizes.text + 1;
  let short = 0;
  for (const [q, used] of questions.textLengths.entries()) {
    const row = [...targets.subarray(q * length, (q + 1) * length)];
    const text = [...questions.text.subarray(q * (length - 1), q * (length - 1) + used)];
    const asked = questions.weights[q] === 1;
    expect(row.slice(0, used + 1)).toEqual(asked ? [...text, tokenizer.tokens.length] : [0]);
    const wanted = row.map((_, i) => Number(asked && i <= used));
    expect([...weights.subarray(q * length, (q + 1) * length)]).toEqual(wanted);
    if (used > 0 && used < length - 1) short++;
  }
  expect(short).toBeGreaterThan(0);
});

test.each(["decoder", "contrastive"] as const)(
  "where a batch asks for no state, the %s head's loss is 0 and all gradient is the model's own",
  async (head) => {
    const given = setupOf(head, { task: "code-traces", params: folder, form: {} });
    const nothing = given.own.staged.sheet().feeds(given.batch); // paper on which nothing was noted
    const { found } = await computed({ ...given, feeds: { ...given.feeds, ...nothing } }, [
      given.first,
      given.own,
    ]);
    expect([found.stateLoss[0], found.stateAccuracy[0]].map((x) => Math.abs(Number(x)))).toEqual([0, 0]);
    const { found: alone } = await computed(given, [given.first]);
    for (const path of Object.keys(given.parameters)) {
      const gradient = found[gradientName(path)];
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
    'stateSupervision.head: expected "decoder" or "contrastive" for a task whose variables change, got "linear". It needs fixed variables',
  ],
  [
    { head: "metric" },
    "code-traces",
    'stateSupervision.head: expected "decoder" or "contrastive" for a task whose variables change, got "metric". It needs fixed variables',
  ],
  [
    { head: "linear", layer: 2 },
    "parity-program",
    "stateSupervision.layer: expected a layer of 0 to 1, got 2",
  ],
] as const)("%j on %s is refused in one sentence", ({ head, ...form }, task, sentence) => {
  const params = task === "code-traces" ? folder : {};
  expect(() => setupOf(head, { task, params, form })).toThrow(sentence);
});

test.each([
  [
    { train: { loss: "reveals" } },
    'train.loss: expected one of revealed-values, next-token, posterior, linear, decoder, contrastive, metric, execution, got "reveals"',
  ],
  [
    { stateSupervision: { head: "decodr" } },
    'stateSupervision.head: expected one of revealed-values, next-token, posterior, linear, decoder, contrastive, metric, execution, got "decodr". Did you mean decoder?',
  ],
  [
    { train: { loss: "linear" }, stateSupervision: {} },
    'stateSupervision.head: expected another objective than that of train.loss, got "linear"',
  ],
  [
    { train: { optimizer: "adam" } },
    'train.optimizer: expected the name of an optimizer, got "adam". Did you mean adamw?',
  ],
])("a configuration with %j is refused in one sentence", (change, sentence) => {
  const config = RunConfig.parse({ task: { name: "parity-program" }, model: { name: "lstm" }, ...change });
  const parts = { task: taskNamed("parity-program") as Task, architecture: modelNamed("lstm") };
  expect(() => setUp(config, parts)).toThrow(sentence);
});
