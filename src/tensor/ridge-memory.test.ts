import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import {
  between,
  check,
  drawn,
  eachHead,
  evaluate,
  type Input,
  onlyNumber,
  relativeError,
} from "./check.test-helper.ts";
import type { Rows } from "./delta-rule.naive.ts";
import { Graph } from "./graph.ts";
import { ridgeMemoryNaive } from "./ridge-memory.naive.ts";
import { ridgeMemoryFrom } from "./ridge-memory.ts";
import { full } from "./shape.ts";

type Draw = NonNullable<Input["draw"]>;

const mild: Draw = between(-0.3, 0);
/** Most steps forget nearly all, some nothing, and now and then one is beyond what float32 can hold as a power. */
const strong: Draw = (rng) => [-1e-3, -8 * rng.next(), -40, -250][rng.below(4)];

const sizes = { B: 2, T: 19, h: 2, dk: 5, dv: 3 };
type Sizes = typeof sizes;

const inputsOf = ({ B, T, h, dk, dv }: Sizes, logDecay: Draw): Input[] => [
  { shape: [B, T, h, dk] },
  { shape: [B, T, h, dk], draw: (rng) => dk ** -0.5 * rng.normal() },
  { shape: [B, T, h, dv] },
  { shape: [B, T, h], draw: logDecay },
  { shape: [B, T, h], draw: between(0, 1) },
];

interface Solver {
  readonly ridge: number;
  readonly relative: boolean;
  readonly iterations: number;
}

const naive = (options: Solver) => (q: Rows, k: Rows, v: Rows, logs: Rows, share: Rows) =>
  ridgeMemoryNaive(q, k, v, onlyNumber(logs), onlyNumber(share), options);

describe("solved by iteration in chunks it is what elimination gives step by step, gradients too", () => {
  test.each([
    [sizes, 7, mild],
    [sizes, 1, mild],
    [sizes, 32, strong],
    [{ ...sizes, B: 1, T: 1 }, 16, mild],
    [{ ...sizes, B: 1, T: 37, dk: 8 }, 16, mild],
  ])("at %j in chunks of %d", async (given, chunk, logDecay) => {
    const solver = { ridge: 0.1, relative: true, iterations: 40 };
    const start = ({ graph }: { graph: Graph }) =>
      full(graph, [given.B, given.h, given.dk, given.dk + given.dv], 0);
    await check({
      name: `ridge memory ${JSON.stringify(given)} ${chunk}`,
      inputs: inputsOf(given, logDecay),
      op: (q, k, v, logs, share) =>
        ridgeMemoryFrom(start(q), { q, k, v, logDecay: logs, share }, { ...solver, chunk }).o,
      naive: (...inputs) => eachHead(naive(solver), inputs),
      tolerance: 5e-4,
    });
  });
});

/** The largest error of what is read with p = 1, relative to the largest number that is. */
async function errorOf(given: Sizes, solver: Solver): Promise<number> {
  const values = inputsOf(given, mild).map((input, i) =>
    drawn(i === 4 ? { ...input, draw: () => 1 } : input, rngFrom(i)),
  );
  const graph = new Graph();
  const [q, k, v, logDecay, share] = values.map(({ shape }, i) => graph.input(`x${i}`, shape));
  const start = full(graph, [given.B, given.h, given.dk, given.dk + given.dv], 0);
  const { o } = ridgeMemoryFrom(start, { q, k, v, logDecay, share }, solver);
  const feeds = Object.fromEntries(values.map(({ data }, i) => [`x${i}`, Float32Array.from(data)]));
  const results = await evaluate(graph, { o }, feeds);
  return relativeError(results.o, eachHead(naive(solver), values).data);
}

test("Chebyshev's iteration is as near as its rate says: the narrower the spectrum, the fewer steps", async () => {
  const given = { B: 1, T: 48, h: 2, dk: 16, dv: 16 };
  for (const [ridge, iterations] of [
    [0.1, 10],
    [0.1, 30],
    [0.02, 30],
    [0.02, 50],
  ]) {
    // sqrt(condition), which is (m + F) / m; the error falls by (c - 1) / (c + 1) a step.
    const condition = Math.sqrt((1 + ridge) / ridge);
    const bound = 2 * ((condition - 1) / (condition + 1)) ** iterations;
    const error = await errorOf(given, { ridge, relative: true, iterations });
    expect(error).toBeLessThan(bound + 1e-5);
  }
});

test("without fading and with a ridge of its own it is recursive least squares", () => {
  const rng = rngFrom(3);
  const [T, dk, dv, ridge] = [30, 6, 4, 0.3];
  const rows = (width: number) =>
    Array.from({ length: T }, () => Array.from({ length: width }, () => rng.normal()));
  const [q, k, v] = [rows(dk), rows(dk), rows(dv)];
  const zeros = new Array<number>(T).fill(0);
  const read = ridgeMemoryNaive(q, k, v, zeros, new Array<number>(T).fill(1), { ridge, relative: false });
  // W <- W + (P k / (1 + k' P k)) (v - W' k)', P <- P - P k k' P / (1 + k' P k), from P = I / ridge.
  const P = k[0].map((_, i) => k[0].map((__, j) => (i === j ? 1 / ridge : 0)));
  const W = k[0].map(() => v[0].map(() => 0));
  for (let t = 0; t < T; t++) {
    const gain = P.map((row) => row.reduce((sum, each, j) => sum + each * k[t][j], 0));
    const total = 1 + gain.reduce((sum, each, i) => sum + each * k[t][i], 0);
    const error = v[t].map((each, j) => each - W.reduce((sum, row, i) => sum + row[j] * k[t][i], 0));
    for (const i of W.keys()) {
      for (const j of error.keys()) W[i][j] += (gain[i] / total) * error[j];
      for (const j of gain.keys()) P[i][j] -= (gain[i] * gain[j]) / total;
    }
    for (const [j, each] of read[t].entries())
      expect(each).toBeCloseTo(
        W.reduce((sum, row, i) => sum + row[j] * q[t][i], 0),
        9,
      );
  }
});
