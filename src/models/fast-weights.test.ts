import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { check, drawn, evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { Graph, grad, multiply, reshape, sum } from "../tensor/index.ts";
import { orthogonalised, readFast, slopes, type Three } from "./fast-weights.ts";
import { orthogonal } from "./lact.naive.ts";

test("the slopes of a network are the gradient of what it says of keys, along their values, each token at its rate", async () => {
  const [h, n, dk, dh, dv] = [2, 5, 4, 6, 3];
  const shapes = {
    W0: [h, dk, dh],
    W1: [h, dh, dv],
    W2: [h, dk, dh],
    k: [h, n, dk],
    v: [h, n, dv],
    e: [h, n, 1],
  };
  const graph = new Graph();
  const given = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, graph.input(name, shape)]),
  );
  const weights: Three = [given.W0, given.W1, given.W2];
  const rates = multiply(given.e, graph.constant(new Float32Array(3).fill(1), [3]));
  const said = sum(multiply(multiply(readFast(weights, given.k), given.v), given.e));
  const wanted = grad(reshape(said, [1]), weights);
  const own = slopes(weights, given.k, given.v, rates);
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      Float32Array.from(drawn({ shape }, rngFrom(7).fork(name)).data),
    ]),
  );
  const named = (all: readonly (typeof said)[], prefix: string) =>
    all.map((each, i) => [`${prefix}${i}`, each]);
  const outputs = Object.fromEntries([...named(wanted, "wanted"), ...named(own, "own")]);
  const found = await evaluate(graph, outputs, feeds);
  for (const i of [0, 1, 2]) expect(relativeError(found[`own${i}`], found[`wanted${i}`])).toBeLessThan(1e-5);
});

test("Newton and Schulz's steps are those of the twin, gradients too, and bring singular values near 1", async () => {
  const [n, m] = [3, 4];
  const rows = (data: ArrayLike<number>) =>
    Array.from({ length: n }, (_, i) => Array.from({ length: m }, (__, j) => data[i * m + j]));
  await check({
    name: "orthogonalised",
    inputs: [{ shape: [n, m] }],
    op: orthogonalised,
    naive: ({ data }) => ({ shape: [n, m], data: Float64Array.from(orthogonal(rows(data)).flat()) }),
    tolerance: 1e-3,
  });
  const rng = rngFrom(5);
  const X = orthogonal(rows(Array.from({ length: n * m }, () => rng.normal())));
  for (const [i, row] of X.entries())
    for (const [j, other] of X.entries()) {
      const product = row.reduce((total, each, at) => total + each * other[at], 0);
      expect(Math.abs(product - Number(i === j))).toBeLessThan(0.35);
    }
});
