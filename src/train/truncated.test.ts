/** @file Rows in pieces, compared with a graph of single steps whose states have no gradient between pieces. */

import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { small, varied } from "../models/conformance.test-helper.ts";
import { mixers } from "../models/index.ts";
import { growingStates, stateShapes, stepModel } from "../models/stack.ts";
import { configsToTest } from "../models/subjects.test-helper.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { emptyBatch } from "../tasks/batch.ts";
import {
  compile,
  concat,
  crossEntropy,
  flattenParameters,
  full,
  Graph,
  grad,
  reshape,
  stopGradient,
  type Tensor,
} from "../tensor/index.ts";
import { peakBytes } from "../tensor/peak-memory.ts";
import { expectResumed, quick, runtime, setUpOf, tinyConfig, whole } from "./fixture.test-helper.ts";
import { gradientName, trainingGraph } from "./graph.ts";
import { revealsAlone } from "./objectives/revealed-values.ts";
import { runInPieces } from "./truncated.ts";

const [ROWS, LENGTH, PIECE] = [2, 5, 2];

/** Their steps need more memory than whole rows. */
const BY_PLACE = ["cached", "lact", "log-linear"];

/** One configuration of each other mixer whose state does not grow. */
const cases = configsToTest
  .filter(({ name }, i, all) => all.findIndex((each) => each.name === name) === i)
  .map(({ name, config }) => ({ name, model: small(name, config) }))
  .filter(({ name, model }) => !BY_PLACE.includes(name) && Object.keys(growingStates(model)).length === 0);

const batch = (() => {
  const rng = rngFrom(4);
  const made = emptyBatch(ROWS, LENGTH);
  const draw = (most: number) => Int32Array.from(made.tokens, () => rng.below(most));
  const [tokens, targets, weights] = [draw(11), draw(11), Float32Array.from(draw(3))];
  for (const row of [0, 1]) weights.set([0, 0], row * LENGTH + PIECE); // nothing is asked in the second piece
  return { ...made, tokens, targets, weights, lengths: new Int32Array(ROWS).fill(LENGTH) };
})();
const { tokens, targets, weights } = batch;

test("all mixers are computed in pieces but those with a cache and those that count tokens", () => {
  const names = new Set<string>(cases.map(({ name }) => name));
  expect(
    Object.keys(mixers)
      .filter((name) => !names.has(name))
      .sort(),
  ).toEqual(
    ["cached", "fox", "gmu", "lact", "log-linear", "path", "seqboat", "transformer"], // a gmu needs a layer below
  );
});

describe.each(cases)("$name", ({ model }) => {
  const data = Object.fromEntries(flattenParameters(varied(model)).map(([path, { data }]) => [path, data]));

  test("loss and gradient are those of steps whose states have no gradient between pieces", async () => {
    const graph = new Graph();
    const parameters = graph.parameters(varied(model));
    let states: Record<string, Tensor> = Object.fromEntries(
      Object.entries(stateShapes(model, LENGTH)).map(([name, shape]) => [
        name,
        full(graph, [ROWS, ...shape], 0),
      ]),
    );
    const at = (values: ArrayLike<number>, t: number) =>
      graph.constant(
        Int32Array.from({ length: ROWS }, (_, row) => values[row * LENGTH + t]),
        [ROWS],
      );
    const logits = Array.from({ length: LENGTH }, (_, t) => {
      if (t % PIECE === 0)
        states = Object.fromEntries(Object.entries(states).map(([name, each]) => [name, stopGradient(each)]));
      const position = graph.constant(new Int32Array(ROWS).fill(t), [ROWS]);
      const after = stepModel(model, parameters, at(tokens, t), position, states);
      states = after.states;
      return reshape(after.logits, [ROWS, 1, -1]);
    });
    const constant = graph.constant(weights, [ROWS, LENGTH]);
    const loss = crossEntropy(concat(logits, 1), graph.constant(targets, [ROWS, LENGTH]), constant);
    const paths = Object.keys(data);
    const inputs = paths.map((path) => graph.inputs.find(({ name }) => name === path)!);
    const gradients = Object.fromEntries(grad(loss, inputs).map((each, i) => [paths[i], each]));
    const reference = await compile(graph, { loss, ...gradients }, runtime);
    const wanted: Record<string, ArrayLike<number | bigint>> = await reference.run(data);
    await reference.release();

    const pieces = trainingGraph(model, ROWS, LENGTH, undefined, undefined, { pieceLength: PIECE });
    const run = await compile<string>(pieces.graph, pieces.outputs, runtime);
    const count = paths.reduce((sum, path) => sum + data[path].length, 0);
    const [gradient, ofPiece] = [new Float32Array(count), new Float32Array(count)];
    let start = 0;
    const views = paths.map((path) => {
      const end = start + data[path].length;
      const view = [path, gradient.subarray(start, end), ofPiece.subarray(start, end)] as const;
      start = end;
      return view;
    });
    const piece = {
      gradient: ofPiece,
      targets: Object.fromEntries(views.map(([path, , view]) => [gradientName(path), view])),
    };
    const hits = new Float32Array(ROWS * LENGTH).fill(7);
    const sheet = revealsAlone[0].staged.sheet();
    const found = await runInPieces(run, PIECE, batch, sheet, data, { gradient, piece, hits });
    await run.release();
    expect(Number(found.loss[0])).toBeCloseTo(Number(wanted.loss[0]), 4);
    expect(hits.every((each) => each === 0 || each === 1)).toBe(true);
    for (const [path, got] of views) {
      const expected = Array.from(wanted[path], Number);
      const apart = Math.hypot(...expected.map((each, i) => each - got[i]));
      expect(apart, path).toBeLessThan(1e-3 * Math.hypot(...expected) + 1e-6);
    }
  });
});

/** Rows of the last stage have 64 positions. */
const configOf = (train: object = {}, model: object = {}, more: object = {}): RunConfig => ({
  ...tinyConfig({ steps: 8, ...train }, quick, model),
  ...more,
});

test("a piece as long as the rows changes no bit", async () => {
  expect(await whole(configOf({ truncatedLength: 4096 }))).toEqual(await whole(configOf()));
});

test.each([
  ["revealed-values", { name: "deltanet" }],
  ["next-token", { name: "gru", heads: 1 }],
  ["revealed-values", { name: "slstm", initialState: "trained" }],
])(
  "the first loss is that of whole rows, also in shares, and a run resumes to the bit: %s, %j",
  async (loss, model) => {
    const run = (train: object) => whole(configOf({ loss, ...train }, model));
    const [rows, pieces, shares] = [
      await run({ shares: 1 }),
      await run({ shares: 1, truncatedLength: 20 }),
      await run({ shares: 4, truncatedLength: 20 }),
    ];
    const [[first], [inPieces]] = [rows.records, pieces.records];
    expect(inPieces.loss).toBeCloseTo(first.loss, 5);
    expect(inPieces.accuracy).toBe(first.accuracy);
    expect(Math.abs(inPieces.gradientNorm / first.gradientNorm - 1)).toBeGreaterThan(1e-4); // it is another gradient
    for (const [i, { loss, gradientNorm }] of shares.records.entries()) {
      expect(loss).toBeCloseTo(pieces.records[i].loss, 4);
      expect(gradientNorm / pieces.records[i].gradientNorm).toBeCloseTo(1, 3);
    }
    expect(pieces.records.at(-1)!.stage).toBeGreaterThan(0);
    const config = configOf({ loss, shares: 4, truncatedLength: 20 }, model);
    await expectResumed(config, shares);
  },
);

test("the memory of a step follows the piece, not the rows", () => {
  const bytes = (length: number, pieceLength: number) => {
    const model = small("gated-deltanet", { chunk: 16 });
    const { graph, outputs } = trainingGraph(model, 2, length, undefined, undefined, { pieceLength });
    return peakBytes(graph, Object.values(outputs));
  };
  expect(bytes(4096, 64)).toBe(bytes(256, 64));
  expect(bytes(256, 64) * 3).toBeLessThan(bytes(256, 256));
});

test.each([
  [{}, { name: "transformer" }, {}, /a state of fixed size, got "transformer"\. Its cache grows/],
  [{}, { name: "hybrid", layers: 2, pattern: ["gru", "fox"] }, {}, /of fixed size, got "fox"/],
  [{}, { name: "lact" }, {}, /mixers that can continue from any token, got "lact"\. Its chunks are counted/],
  [{}, { name: "sse", balance: 0.1 }, {}, /truncatedLength: expected none with the penalty layers\.0\./],
  [{ padding: "bucket" }, {}, {}, /train\.padding: expected "max" with train\.truncatedLength, got "bucket"/],
  [{ packedLength: 500 }, {}, {}, /truncatedLength: expected none with train\.packedLength/],
  [{}, {}, { device: "webgpu" }, /truncatedLength: expected device: cpu, got "webgpu"/],
  [{}, {}, { data: { async: {} }, curriculum: { stages: [[{}]] } }, /none with data\.async, got 20/],
  [{}, {}, { stateSupervision: {} }, /truncatedLength: expected none with the objective linear/],
  [{}, {}, { objective: "reward" }, /truncatedLength: expected none with the objective signal reward/],
])("%j, %j, %j is refused in one sentence", (train, model, more, words) => {
  const given = configOf({ truncatedLength: 20, ...train }, { heads: undefined, ...model }, more);
  const config = RunConfig.parse(JSON.parse(JSON.stringify(given)));
  expect(() => setUpOf(config)).toThrow(words);
});
