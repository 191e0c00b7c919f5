import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { exp } from "./activations.ts";
import { expand, multiply, negate, reshape } from "./arithmetic.ts";
import { between, check, drawn, eachHead, evaluate, type Input, relativeError } from "./check.test-helper.ts";
import type { Rows } from "./delta-rule.naive.ts";
import { anyBeta, type DrawKey, oneKey, randomKey, type Sizes, swapKey } from "./delta-rule.test-helper.ts";
import { deltaRule } from "./delta-rule.ts";
import { dplrNaive } from "./dplr.naive.ts";
import { dplr } from "./dplr.ts";
import { gatedDeltaRule } from "./gated-delta-rule.ts";
import { Graph, type Shape } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { transpose } from "./shape.ts";
import { maskConstant } from "./unit-lower-inverse.ts";

type Draw = NonNullable<Input["draw"]>;

const mild: Draw = between(-0.3, 0);
/** Most channels forget nearly all, some nothing, and now and then one is beyond what float32 can hold as a power. */
const strong: Draw = (rng) => [-1e-3, -8 * rng.next(), -40, -250][rng.below(4)];
/** Transitions of a size below 1, so that nothing grows. */
const small: Draw = (rng) => 0.4 * rng.normal();

interface Options {
  readonly logDecay: Draw;
  readonly removal: boolean;
  readonly perHead?: boolean;
}

function compare({ B, T, h, dk, dv }: Sizes, chunk: number, { logDecay, removal, perHead = false }: Options) {
  const keys: Input = { shape: [B, T, h, dk] };
  const along: Input = { shape: [B, T, h, dk], draw: small };
  return check({
    name: `dplr ${[B, T, h, dk, dv, chunk, removal, perHead]}`,
    inputs: [
      keys,
      keys,
      { shape: [B, T, h, dv] },
      { shape: perHead ? [B, T, h] : [B, T, h, dk], draw: logDecay },
      ...(removal ? [along, along] : []),
    ],
    op: (q, k, v, logs, ...ab) =>
      dplr(
        { q, k, v, logDecay: logs, ...(ab.length > 0 && { removal: { read: ab[0], write: ab[1] } }) },
        { chunk },
      ),
    naive: (...given) =>
      eachHead((q, k, v, logs, a?: Rows, b?: Rows) => {
        const inChannels = logs.map((row) => (perHead ? new Array<number>(dk).fill(row[0]) : row));
        return dplrNaive(q, k, v, inChannels, a, b);
      }, given),
  });
}

describe("the chunked kernel equals the recurrence, gradients too", () => {
  test.each([
    [{ B: 1, T: 1, h: 1, dk: 1, dv: 1 }, 32],
    [{ B: 2, T: 5, h: 1, dk: 3, dv: 5 }, 1],
    [{ B: 2, T: 7, h: 3, dk: 4, dv: 2 }, 2],
    [{ B: 1, T: 25, h: 1, dk: 2, dv: 6 }, 7],
    [{ B: 1, T: 35, h: 1, dk: 4, dv: 2 }, 33],
  ])("at %j in chunks of %d", async (sizes, chunk) => {
    for (const logDecay of [mild, strong])
      for (const removal of [true, false]) await compare(sizes, chunk, { logDecay, removal });
    await compare(sizes, chunk, { logDecay: strong, removal: true, perHead: true });
  });

  test("at any size, in any chunks", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ B: count(2), T: count(24), h: count(2), dk: count(5), dv: count(5) });
    await fc.assert(
      fc.asyncProperty(sizes, count(30), fc.boolean(), fc.boolean(), (each, chunk, hard, removal) =>
        compare(each, chunk, { logDecay: hard ? strong : mild, removal }),
      ),
      { seed: 10, numRuns: 5 },
    );
  });
});

const [B, T, h, dk, dv] = [2, 45, 2, 8, 6];
const keyShape = [B, T, h, dk];

/** Graph inputs of the shapes, with random feeds. */
function inputsOf(graph: Graph, shapes: Readonly<Record<string, readonly [Shape, Draw?]>>) {
  const rng = rngFrom(4);
  const entries = Object.entries(shapes);
  const tensors = entries.map(([name, [shape]]) => graph.input(name, shape));
  const feeds = Object.fromEntries(
    entries.map(([name, [shape, draw]]) => [
      name,
      Float32Array.from(drawn(draw === undefined ? { shape } : { shape, draw }, rng).data),
    ]),
  );
  return { tensors, feeds };
}

function drawing(draw: DrawKey): Draw {
  const rng = rngFrom(7);
  const cells = Array.from({ length: B * T * h }, (_, n) => draw(rng, dk, n)).flat();
  let next = 0;
  return () => cells[next++ % cells.length];
}

test.each([
  ["random keys", randomKey, anyBeta],
  ["one key throughout and beta 1.99", oneKey, () => 1.99],
  ["the keys of three swaps and beta 1.99", swapKey, () => 1.99],
])("w = 1, a = k, b = -beta k and writes beta k v' are the delta rule: %s", async (_, key, beta: Draw) => {
  const graph = new Graph();
  const { tensors, feeds } = inputsOf(graph, {
    q: [keyShape],
    k: [keyShape, drawing(key)],
    v: [[B, T, h, dv]],
    beta: [[B, T, h], beta],
    none: [keyShape, () => 0],
  });
  const [q, k, v, b, none] = tensors;
  const bk = multiply(k, reshape(b, [B, T, h, 1]));
  const o = dplr({ q, k: bk, v, logDecay: none, removal: { read: k, write: negate(bk) } });
  const results = await evaluate(graph, { o, wanted: deltaRule(q, k, v, b) }, feeds);
  expect(relativeError(results.o, results.wanted)).toBeLessThan(1e-4);
});

test("one decay a head, read before the error is taken, is the gated delta rule", async () => {
  const graph = new Graph();
  const { tensors, feeds } = inputsOf(graph, {
    q: [keyShape],
    k: [keyShape, drawing(randomKey)],
    v: [[B, T, h, dv]],
    beta: [[B, T, h], anyBeta],
    logs: [[B, T, h], strong],
  });
  const [q, k, v, b, logs] = tensors;
  const inChannels = expand(reshape(logs, [B, T, h, 1]), keyShape);
  const bk = multiply(k, reshape(b, [B, T, h, 1]));
  const removal = { read: multiply(k, exp(inChannels)), write: negate(bk) };
  const [perHead, perChannel] = [logs, inChannels].map((logDecay) =>
    dplr({ q, k: bk, v, logDecay, removal }),
  );
  const wanted = gatedDeltaRule(q, k, v, b, logs);
  const results = await evaluate(graph, { perHead, perChannel, wanted }, feeds);
  expect(relativeError(results.perHead, results.wanted)).toBeLessThan(1e-5);
  expect(relativeError(results.perChannel, results.wanted)).toBeLessThan(1e-5);
});

test("with l = 0 and no a and b it is linear attention: tril(Q K') V", async () => {
  const graph = new Graph();
  const { tensors, feeds } = inputsOf(graph, {
    q: [keyShape],
    k: [keyShape],
    v: [[B, T, h, dv]],
    none: [[B, T, h], () => 0],
  });
  const [q, k, v, logDecay] = tensors;
  const [Q, K, V] = [q, k, v].map((x) => transpose(x, [0, 2, 1, 3])); // [B, h, T, d]
  const seen = multiply(
    matmul(Q, K, { transposeY: true }),
    maskConstant(graph, T, (i, j) => j <= i),
  );
  const wanted = transpose(matmul(seen, V), [0, 2, 1, 3]);
  const results = await evaluate(graph, { o: dplr({ q, k, v, logDecay }), wanted }, feeds);
  expect(relativeError(results.o, results.wanted)).toBeLessThan(1e-5);
});

test("shapes that do not belong together are refused by name", () => {
  const graph = new Graph();
  const k = graph.input("k", [8, 64, 4, 16]);
  const swapped = graph.input("swapped", [8, 4, 64, 16]);
  const given = { q: k, k, v: k, logDecay: k };
  expect(() => dplr({ ...given, logDecay: swapped })).toThrow(
    "dplr: expected logDecay of shape [8,64,4,16] or [8,64,4], got [8,4,64,16]",
  );
  expect(() => dplr({ ...given, removal: { read: k, write: swapped } })).toThrow(
    "dplr: expected removal.write of shape [8,64,4,16], got [8,4,64,16]",
  );
  expect(() => dplr(given, { chunk: 0 })).toThrow("dplr: expected a chunk of 1 step or more, got 0");
});
