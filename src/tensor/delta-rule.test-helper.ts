/** @file Compares the chunked delta rule with its recurrence, for the test and the soak: inputs of every kind, outputs and gradients. */

import { expect } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { multiply, sum } from "./arithmetic.ts";
import { between, drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { deltaRuleGradientNaive, deltaRuleNaive, type Rows } from "./delta-rule.naive.ts";
import { deltaRule } from "./delta-rule.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";

export interface Sizes {
  readonly B: number;
  readonly T: number;
  readonly h: number;
  readonly dk: number;
  readonly dv: number;
}

/** Everything the kernel reads, and the cotangent: row-major [B, T, h, ...]. */
export type Arrays = Record<"q" | "k" | "v" | "beta" | "dO", Float32Array>;

export type DrawKey = (rng: Rng, dk: number, t: number) => readonly number[];

export const randomKey: DrawKey = (rng, dk) => {
  const key = Array.from({ length: dk }, () => rng.normal());
  const norm = Math.hypot(...key);
  return key.map((x) => x / norm);
};
/** (e_i - e_j) / sqrt 2 for a random pair of the first three axes. */
export const swapKey: DrawKey = (rng, dk) => {
  const [i, j] = [
    [0, 1],
    [0, 2],
    [1, 2],
  ][rng.below(3)];
  return Array.from({ length: dk }, (_, d) => (d === i ? Math.SQRT1_2 : d === j ? -Math.SQRT1_2 : 0));
};
export const oneKey: DrawKey = (_, dk) => Array.from({ length: dk }, () => 1 / Math.sqrt(dk));

export function arraysOf(
  { B, T, h, dk, dv }: Sizes,
  seed: number,
  drawBeta: (rng: Rng) => number,
  drawKey: DrawKey,
): Arrays {
  const rng = rngFrom(seed);
  const normal = (width: number) => Float32Array.from(drawn({ shape: [B, T, h, width] }, rng).data);
  const keys = Array.from({ length: B * T * h }, (_, n) => drawKey(rng, dk, n));
  const beta = drawn({ shape: [B, T, h], draw: drawBeta }, rng);
  return {
    q: normal(dk),
    k: Float32Array.from(keys.flat()),
    v: normal(dv),
    beta: Float32Array.from(beta.data),
    dO: normal(dv),
  };
}

export async function fast({ B, T, h, dk, dv }: Sizes, arrays: Arrays, chunk?: number) {
  const graph = new Graph();
  const q = graph.input("q", [B, T, h, dk]);
  const k = graph.input("k", [B, T, h, dk]);
  const v = graph.input("v", [B, T, h, dv]);
  const beta = graph.input("beta", [B, T, h]);
  const o = deltaRule(q, k, v, beta, chunk === undefined ? {} : { chunk });
  expect(o.shape).toEqual([B, T, h, dv]);
  const loss = sum(multiply(o, graph.input("dO", [B, T, h, dv])));
  const [dq, dk_, dv_, dBeta] = grad(loss, [q, k, v, beta]);
  return evaluate(graph, { o, q: dq, k: dk_, v: dv_, beta: dBeta }, { ...arrays });
}

/** The same from the step-by-step form, in float64, one head after the other. */
export function slow({ B, T, h, dk, dv }: Sizes, arrays: Arrays) {
  const [o, q, k, v, beta] = [dv, dk, dk, dv, 1].map((width) => new Float64Array(B * T * h * width));
  for (let b = 0; b < B; b++) {
    for (let head = 0; head < h; head++) {
      const row = (t: number) => (b * T + t) * h + head;
      const read = (x: Float32Array, width: number) =>
        Array.from({ length: T }, (_, t) => x.subarray(row(t) * width, (row(t) + 1) * width));
      const write = (x: Float64Array, width: number, rows: Rows) => {
        for (const [t, values] of rows.entries()) x.set(values, row(t) * width);
      };
      const given = [read(arrays.q, dk), read(arrays.k, dk), read(arrays.v, dv)] as const;
      const betas = read(arrays.beta, 1).map(([each]) => each);
      write(o, dv, deltaRuleNaive(...given, betas));
      const gradients = deltaRuleGradientNaive(...given, betas, read(arrays.dO, dv));
      write(q, dk, gradients.q);
      write(k, dk, gradients.k);
      write(v, dv, gradients.v);
      write(
        beta,
        1,
        gradients.beta.map((each) => [each]),
      );
    }
  }
  return { o, q, k, v, beta };
}

export async function compare(sizes: Sizes, arrays: Arrays, chunk?: number): Promise<void> {
  const got = await fast(sizes, arrays, chunk);
  for (const [name, wanted] of Object.entries(slow(sizes, arrays))) {
    expect(relativeError(got[name], wanted), name === "o" ? "output" : `gradient of ${name}`).toBeLessThan(
      1e-4,
    );
  }
}

export const anyBeta = between(0.001, 1.999);
