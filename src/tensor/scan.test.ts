import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { add, multiply, reshape, scale, shift, sum } from "./arithmetic.ts";
import { check, drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { scanInGroups } from "./checkpointed-scan.ts";
import { oneHot } from "./embedding.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
import { directions, lstmInputs, lstmStep, onTensors, scanCase } from "./scan.test-helper.ts";
import { scan } from "./scan.ts";
import { concat, slice } from "./shape.ts";

describe.each(directions)("%j", (options) => {
  test.each([
    [1, 1, 1],
    [5, 2, 3],
    [11, 1, 2],
  ])("an LSTM equals its twin over T, B, d = %d, %d, %d, gradients too", (T, B, d) =>
    check(
      scanCase(`lstm ${T} ${B} ${d}`, lstmInputs(T, B, d), (ops, x, h, c, W, V, bias) => {
        const { states, outputs } = ops.scan([x], [h, c], lstmStep(ops, W, V, bias), options);
        return [...states, ...outputs];
      }),
    ),
  );

  test.each([
    scanCase(
      "the outputs of an LSTM alone",
      lstmInputs(4, 2, 2),
      (ops, x, h, c, W, V, bias) => ops.scan([x], [h, c], lstmStep(ops, W, V, bias), options).outputs,
    ),
    scanCase("one of the last states of an LSTM alone", lstmInputs(4, 2, 2), (ops, x, h, c, W, V, bias) => [
      ops.scan([x], [h, c], lstmStep(ops, W, V, bias), options).states[1],
    ]),
    scanCase(
      "a running sum, of which the backward step needs nothing",
      [{ shape: [6, 3] }, { shape: [3] }],
      ({ scan, add }, x, start) =>
        scan([x], [start], ([a], [b]) => ({ states: [add(a, b)], outputs: [] }), options).states,
    ),
    scanCase(
      "a step that hands its state and its input on as they are",
      [{ shape: [5, 2] }, { shape: [2] }],
      ({ scan }, x, start) => {
        const { states, outputs } = scan(
          [x],
          [start],
          ([a], [b]) => ({ states: [b], outputs: [a, b, a] }),
          options,
        );
        return [...states, ...outputs];
      },
    ),
    scanCase(
      "a step that never changes one of its states",
      [{ shape: [3, 2] }, { shape: [2] }, { shape: [2] }],
      ({ scan, multiply }, x, a, b) => {
        const { states, outputs } = scan(
          [x],
          [a, b],
          ([first, second], [now]) => ({
            states: [multiply(first, now), second],
            outputs: [multiply(first, second)],
          }),
          options,
        );
        return [...states, ...outputs];
      },
    ),
    scanCase(
      "a scan without states",
      [{ shape: [5, 2] }, { shape: [5, 2] }, { shape: [2] }],
      ({ scan, multiply }, x, y, w) =>
        scan([x, y], [], (_, [a, b]) => ({ states: [], outputs: [multiply(multiply(a, b), w)] }), options)
          .outputs,
    ),
  ])("$name equals its twin, gradients too", check);

  test("a scan equals its steps written one after the other, gradients too", async () => {
    const [T, B, d] = [7, 2, 5];
    const shapes = [[T, B, d], [B, d], [B, d], [d, 4 * d], [d, 4 * d], [4 * d]];
    const graph = new Graph();
    const inputs = shapes.map((shape, i) => graph.input(`x${i}`, shape));
    const [x, h, c, W, V, bias] = inputs;
    const step = lstmStep(onTensors, W, V, bias);
    const scanned = scan([x], [h, c], step, options).outputs[0];
    let states: readonly Tensor[] = [h, c];
    const perTime: Tensor[] = [];
    const order = [...Array(T).keys()];
    for (const time of options.reverse ? order.toReversed() : order) {
      const result = step(states, [reshape(slice(x, 0, time, time + 1), [B, d])]);
      states = result.states;
      perTime[time] = reshape(result.outputs[0], [1, B, d]);
    }
    const unrolled = concat(perTime, 0);
    const w = graph.input("w", [T, B, d]);
    const gradients = [scanned, unrolled].map((y) => grad(sum(multiply(y, w)), inputs));
    const rng = rngFrom(6);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    const results = await evaluate(
      graph,
      Object.fromEntries([
        ["scanned", scanned],
        ["unrolled", unrolled],
        ...gradients.flatMap((each, n) => each.map((dx, i) => [`${n} ${i}`, dx])),
      ]),
      feeds,
    );
    expect(relativeError(results.scanned, results.unrolled)).toBeLessThan(1e-6);
    for (const i of inputs.keys())
      expect(relativeError(results[`0 ${i}`], results[`1 ${i}`])).toBeLessThan(1e-5);
  });
});

test("two losses of one scan can each be differentiated", async () => {
  const graph = new Graph();
  const x = graph.input("x", [4, 3]);
  const h = graph.input("h", [3]);
  const { states, outputs } = scan([x], [h], ([a], [b]) => {
    const next = multiply(a, b);
    return { states: [next], outputs: [scale(next, 2)] };
  });
  const [fromState] = grad(sum(states[0]), [h]);
  const [fromOutput] = grad(sum(outputs[0]), [h]);
  const feeds = { x: Float32Array.of(1, 2, 3, 2, 2, 2, 1, 1, 1, 3, 3, 3), h: Float32Array.of(1, 1, 1) };
  const results = await evaluate(graph, { fromState, fromOutput }, feeds);
  // d(last)/dh is the product of x over time; d(sum of outputs)/dh twice the sum of the running products.
  expect([...results.fromState]).toEqual([6, 12, 18]);
  expect([...results.fromOutput]).toEqual([2 * (1 + 2 + 2 + 6), 2 * (2 + 4 + 4 + 12), 2 * (3 + 6 + 6 + 18)]);
});

test("a counter as state takes part and has no gradient", async () => {
  const graph = new Graph();
  const x = graph.input("x", [3, 2]);
  const start = graph.input("start", [1], "int32");
  const { states, outputs } = scan([x], [start], ([n], [now]) => ({
    states: [add(n, graph.constant(Int32Array.of(2), [1]))],
    outputs: [multiply(now, shift(oneHot(n, 2), 1))],
  }));
  const [dx] = grad(sum(reshape(outputs[0], [-1])), [x]);
  const results = await evaluate(
    graph,
    { last: states[0], dx },
    { x: new Float32Array(6), start: Int32Array.of(-1) },
  );
  expect([...results.last]).toEqual([5]);
  expect([...results.dx]).toEqual([1, 1, 1, 2, 1, 1]);
});

test("inputs of unequal length, states of changed shape and no input at all are refused", () => {
  const graph = new Graph();
  const x = graph.input("x", [4, 3]);
  const y = graph.input("y", [5, 3]);
  const h = graph.input("h", [3]);
  const keep = (states: readonly Tensor[]) => ({ states, outputs: [] });
  expect(() => scan([x, y], [h], keep)).toThrow(
    "scan: expected 4 elements on the first axis of every input, got [[4,3],[5,3]]",
  );
  expect(() => scan([x], [h], ([a]) => keep([reshape(a, [1, 3])]))).toThrow(
    'scan: expected a state of shape [3], float32, got "[1,3], float32"',
  );
  expect(() => scan([x], [h], () => keep([]))).toThrow("scan: expected 1 states, got 0");
  expect(() => scan([], [h], keep)).toThrow('scan: expected an input of shape [T, ...], got "no input"');
});

test.each([
  ["one group", 3, 3],
  ["groups that come out even", 6, 2],
  ["a shorter last group", 7, 3],
  ["groups of one step", 4, 1],
  ["fewer steps than a group has", 2, 5],
])("%s: an LSTM of %i steps in groups of %i equals its twin, gradients too", (_, T, size) =>
  check(
    scanCase(`groups ${T} ${size}`, lstmInputs(T, 2, 2), (ops, x, h, c, W, V, bias) => {
      const { states, outputs } = ops.scanInGroups([x], [h, c], lstmStep(ops, W, V, bias), size);
      return [...states, ...outputs];
    }),
  ),
);

test("what is kept for the gradient are the states between groups, and no value of a step", () => {
  const graph = new Graph();
  const [T, B, d] = [20, 2, 3];
  const inputs = lstmInputs(T, B, d).map(({ shape }, i) => graph.input(`x${i}`, shape));
  const [x, h, c, W, V, bias] = inputs;
  const { outputs } = scanInGroups([x], [h, c], lstmStep(onTensors, W, V, bias), 5);
  grad(sum(outputs[0]), inputs);
  const kept = graph.nodes
    .filter(({ op }) => op === "Scan")
    .map(({ outputs }) => outputs.map(({ shape }) => shape));
  // Forward: the last two states, the outputs, and h and c before each of four groups.
  expect(kept[0]).toEqual([
    [B, d],
    [B, d],
    [4, 5, B, d],
    [4, B, d],
    [4, B, d],
  ]);
});
