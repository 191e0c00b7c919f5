/** @file The initial values of S5; everything else is in the conformance suite. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { add, Graph, grad, multiply, sum } from "../tensor/index.ts";
import { type Complex, power } from "./complex.ts";
import { parameterData, small } from "./conformance.test-helper.ts";
import { initialParameters } from "./index.ts";
import { hippoFrequencies, inChunks, oneByOne } from "./s5.ts";

/** HiPPO-N: HiPPO-LegS plus p p' with p_n = sqrt(n + 1/2), as its paper has it. */
function hippoNormal(order: number): number[][] {
  const legs = (n: number, m: number) =>
    n > m ? -Math.sqrt((2 * n + 1) * (2 * m + 1)) : n === m ? -(n + 1) : 0;
  return Array.from({ length: order }, (_, n) =>
    Array.from({ length: order }, (_, m) => legs(n, m) + Math.sqrt((n + 0.5) * (m + 0.5))),
  );
}

const product = (x: number[][], y: number[][]) =>
  x.map((row) => y[0].map((_, j) => row.reduce((sum, each, k) => sum + each * y[k][j], 0)));

test.each([2, 4, 8, 10])(
  "the turns of order %d are those of HiPPO-N's eigenvalues: all its power sums agree",
  (order) => {
    const turns = hippoFrequencies(order);
    expect(turns).toHaveLength(order / 2);
    // N + 1/2 I is skew: its eigenvalues are +-i w, and the traces of its even powers, which determine them, 2 sum (-w^2)^m.
    const skew = hippoNormal(order).map((row, n) => row.map((each, m) => each + (n === m ? 0.5 : 0)));
    for (const [n, row] of skew.entries())
      for (const [m, each] of row.entries()) expect(each).toBeCloseTo(-skew[m][n], 12);
    const square = product(skew, skew);
    let even = square;
    for (let m = 1; m <= order / 2; m++) {
      const trace = even.reduce((sum, row, i) => sum + row[i], 0);
      const wanted = 2 * turns.reduce((sum, w) => sum + (-w * w) ** m, 0);
      expect(trace / wanted).toBeCloseTo(1, 10);
      even = product(even, square);
    }
  },
);

test("S5 begins as its paper says: all states fade alike, by HiPPO-N's turns, in steps from 0.001 to 0.1", () => {
  const of = (name: string) =>
    parameterData(initialParameters(small("s5", { stateSize: 64 }), rngFrom(1)))[`layers.0.mixer.${name}`];
  for (const each of of("logRate")) expect(Math.exp(each)).toBeCloseTo(0.5, 6);
  expect([...of("frequency")]).toEqual([...Float32Array.from(hippoFrequencies(64))]);
  const steps = [...of("logStep")].map(Math.exp);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.00099);
  expect(Math.max(...steps)).toBeLessThanOrEqual(0.1001);
  expect(Math.max(...steps) / Math.min(...steps)).toBeGreaterThan(20);
});

test.each([1, 64, 65, 200])(
  "%i tokens filtered in chunks leave the states of one step after the other, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, pairs] = [2, 3];
    const pair = (name: string, shape: readonly number[]): Complex => ({
      re: graph.input(`${name}.re`, shape),
      im: graph.input(`${name}.im`, shape),
    });
    const given = pair("given", [batch, length, pairs]);
    const start = pair("start", [batch, pairs]);
    const exponent = pair("exponent", [pairs]);
    const weights = pair("weights", [batch, length, pairs]);
    const ways = {
      chunks: inChunks(given, start, exponent),
      steps: oneByOne(given, start, power(exponent), undefined),
    };
    const wanted = [given, start, exponent].flatMap(({ re, im }) => [re, im]);
    const outputs = Object.fromEntries(
      Object.entries(ways).flatMap(([way, { re, im }]) => {
        const loss = sum(add(multiply(re, weights.re), multiply(im, weights.im)));
        const gradients = grad(loss, wanted);
        return [
          [`${way} re`, re] as const,
          [`${way} im`, im] as const,
          ...gradients.map((dx, i) => [`${way} ${wanted[i].name}`, dx] as const),
        ];
      }),
    );
    const rng = rngFrom(2);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => {
        const size = shape.reduce((a, b) => a * b, 1);
        // They fade by half in 7 to 70 tokens, and turn by up to a radian.
        const number = () => (name === "exponent.re" ? -0.01 - 0.09 * rng.next() : 2 * rng.next() - 1);
        return [name, Float32Array.from({ length: size }, number)];
      }),
    );
    const results = await evaluate(graph, outputs, feeds);
    for (const name of ["re", "im", ...wanted.map(({ name }) => name)])
      expect(relativeError(results[`chunks ${name}`], results[`steps ${name}`]), name).toBeLessThan(2e-5);
  },
);
