import { expect, test } from "vitest";
import { check, evaluate } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { logSoftmaxNaive, softmaxNaive } from "./softmax.naive.ts";
import { logSoftmax, softmax } from "./softmax.ts";

test.each([[[1]], [[7]], [[3, 1]], [[2, 3, 5]], [[2, 131]]])(
  "both equal their twins at [%j]",
  async (shape) => {
    await check({ name: `softmax ${shape}`, inputs: [{ shape }], op: softmax, naive: softmaxNaive });
    await check({ name: `logSoftmax ${shape}`, inputs: [{ shape }], op: logSoftmax, naive: logSoftmaxNaive });
  },
);

test("logits of a thousand neither overflow nor lose the difference", async () => {
  const graph = new Graph();
  const x = graph.input("x", [3]);
  const logits = Float32Array.of(1000, 999, -1000);
  const { y, logY } = await evaluate(graph, { y: softmax(x), logY: logSoftmax(x) }, { x: logits });
  expect(y[1] / y[0]).toBeCloseTo(Math.exp(-1), 6);
  expect(logY[2]).toBeCloseTo(-2000 - Math.log1p(Math.exp(-1)), 3);
});

test("a row with one possibility left gives it all", async () => {
  const graph = new Graph();
  const x = graph.input("x", [2]);
  const { y } = await evaluate(graph, { y: softmax(x) }, { x: Float32Array.of(3, Number.NEGATIVE_INFINITY) });
  expect([...y]).toEqual([1, 0]);
});
