import { describe, expect, test } from "vitest";
import { activationsNaive, eachNaive } from "./activations.naive.ts";
import { cos, exp, log, sigmoid, silu, sin, softplus, sqrt, tanh } from "./activations.ts";
import { between, check, evaluate, relativeError } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";

const ops = { sigmoid, tanh, exp, log, sqrt, softplus, silu, sin, cos };
const names = Object.keys(ops) as (keyof typeof ops)[];
const positive = new Set(["log", "sqrt"]);

describe.each(names)("%s", (name) => {
  test.each([[[]], [[1]], [[3, 5, 7]], [[129]], [[1001]]])(
    "equals its twin at [%j], gradients too",
    (shape) =>
      check({
        name: `${name} ${shape}`,
        inputs: [{ shape, draw: positive.has(name) ? between(0.2, 4) : between(-4, 4) }],
        op: ops[name],
        naive: (x) => eachNaive(x, activationsNaive[name]),
      }),
  );
});

const finite = ["sigmoid", "tanh", "softplus", "silu"] as const;
test.each(finite.flatMap((name) => [1, 200].map((times) => [name, times] as const)))(
  "%s is finite and right far from 0, of six numbers %d times",
  async (name, times) => {
    const far = Array.from({ length: times }, () => [-200, -90, -30, 30, 90, 200]).flat();
    const graph = new Graph();
    const { y } = await evaluate(
      graph,
      { y: ops[name](graph.input("x", [far.length])) },
      { x: Float32Array.from(far) },
    );
    expect(relativeError(y, far.map(activationsNaive[name]))).toBeLessThan(1e-6);
  },
);
