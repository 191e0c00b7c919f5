import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { linear, type Row, type Weights } from "../../models/naive.ts";
import { compile, Graph } from "../../tensor/index.ts";
import { conforms } from "./conformance.test-helper.ts";
import { metricHead } from "./metric.ts";
import { type Question, stateLoss } from "./naive.test-helper.ts";
import { runtime } from "./setup.test-helper.ts";
import { STATE_HEAD } from "./state/supervision.ts";

conforms(
  "metric",
  [
    { mixer: "deltanet", task: "parity-program", params: { length: 2 }, form: {} },
    { task: "repl", params: { commands: 2, spacing: 2 }, form: { layer: 0, state: "changed", weight: 3 } },
    { task: "list-permutation", params: { size: 3, length: [1, 2] }, form: {} },
  ],
  stateLoss(metricNaive),
);

function metricNaive(weights: Weights, asked: readonly Question[]): number {
  const u = asked.map(({ hidden }) => linear(hidden, weights[`${STATE_HEAD}.weight`]));
  let [total, pairs] = [0, 0];
  for (const [i, one] of asked.entries())
    for (const [j, other] of asked.entries()) {
      if (i === j) continue;
      total += (distance(u[i], u[j]) - stateDistance(one, other)) ** 2;
      pairs++;
    }
  return total / pairs;
}

const distance = (x: Row, y: Row) => Math.sqrt(x.reduce((all, each, k) => all + (each - y[k]) ** 2, 1e-6));

/** Of what is asked of each: its value, or that nothing is. */
function stateDistance({ values: one }: Question, { values: other }: Question): number {
  const held = ([value, weight]: readonly [number, number]) => (weight === 1 ? value : "nothing");
  return one.filter((each, i) => held(each) !== held(other[i])).length / one.length;
}

/** Some variables, four questions of one row, the last of which asks nothing; u is what is given. */
async function found(hidden: readonly Row[], values: readonly number[], asked: readonly number[]) {
  const questions = asked.length;
  const variables = values.length / questions;
  const sizes = { questions, variables, text: variables };
  const head = metricHead({ model: { width: 2 }, prepared: {} } as Parameters<typeof metricHead>[0]);
  const none = new Int32Array(0);
  const feeds = head.feeds({
    ...{ sizes, values: Int32Array.from(values), weights: Float32Array.from(asked) },
    ...{ valueWeights: Float32Array.from(asked.flatMap((one) => Array<number>(variables).fill(one))) },
    ...{ text: none, textLengths: none, positions: none },
  });
  const graph = new Graph();
  const given = graph.input("hidden", [questions, 2]);
  const tensors = graph.parameters(head.init(rngFrom(1)));
  const read = () => given;
  const run = await compile(
    graph,
    head.loss(tensors, { graph, rows: 1, sizes, hidden: given, read }),
    runtime,
  );
  // W of [2, 64] that keeps the two components.
  const weight = Float32Array.from({ length: 128 }, (_, i) => Number(i === 0 || i === 65));
  const { loss, accuracy } = await run.run({
    ...feeds,
    weight,
    hidden: Float32Array.from(hidden.flat()),
  });
  await run.release();
  return [Number(loss[0]), Number(accuracy[0])];
}

test("vectors at the distances of their states cost nothing and are right; what is not asked counts nowhere", async () => {
  // States 12, 12, 13: distances 0, 1/2, 1/2.
  const states = [1, 2, 1, 2, 1, 3, 9, 9];
  const right = await found(
    [
      [0, 0],
      [0, 0],
      [0.5, 0],
      [7, 7],
    ],
    states,
    [1, 1, 1, 0],
  );
  expect(right[0]).toBeLessThan(1e-5);
  expect(right[1]).toBe(1);
  // The first beside the third: it and its twin are wrong, and so is nobody else, since both others are as near to the third.
  const wrong = await found(
    [
      [0.5, 0],
      [0, 0],
      [0.5, 0],
      [7, 7],
    ],
    states,
    [1, 1, 1, 0],
  );
  // Pairs 0-1: 0.5 where 0 is wanted; 0-2: 0 where 0.5 is; 1-2: right.
  expect(wrong[0]).toBeCloseTo((2 * 0.5 ** 2) / 3, 2);
  expect(wrong[1]).toBeCloseTo(2 / 3, 5);
});

test("shares that no float32 has exactly are found again: thirds of three variables", async () => {
  // States 123, 423, 523: each a third from the others; and 123 again.
  const states = [1, 2, 3, 4, 2, 3, 5, 2, 3, 1, 2, 3];
  const third = 1 / 3;
  const [loss, accuracy] = await found(
    [
      [0, 0],
      [third, 0],
      [third / 2, (third * Math.sqrt(3)) / 2],
      [0, 0],
    ],
    states,
    [1, 1, 1, 1],
  );
  expect(loss).toBeLessThan(1e-5);
  expect(accuracy).toBe(1);
});

test("too many pairs are refused in one sentence", async () => {
  const asked = new Array<number>(4097).fill(1);
  await expect(found([], [...asked, ...asked], asked)).rejects.toThrow(
    "stateSupervision.head: expected at most 4096 states asked for in a batch, all pairs of which are compared, got 4097. Lower train.batch",
  );
});

test("where one state or none is asked there is no pair, and the loss is 0", async () => {
  const nothing = [
    [0, 0],
    [1, 1],
  ];
  expect(await found(nothing, [1, 2, 3, 4], [1, 0])).toEqual([0, 0]);
  expect(await found(nothing, [1, 2, 3, 4], [0, 0])).toEqual([0, 0]);
});
