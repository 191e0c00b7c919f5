import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { between, check, eachHead, evaluate, type Input, onlyNumber } from "./check.test-helper.ts";
import type { Sizes } from "./delta-rule.test-helper.ts";
import { Graph } from "./graph.ts";
import { matrixMemoryNaive } from "./matrix-memory.naive.ts";
import { matrixMemory } from "./matrix-memory.ts";

type Draw = NonNullable<Input["draw"]>;

interface Draws {
  readonly vectors?: Draw;
  readonly input: Draw;
  readonly logForget: Draw;
}

const mild: Draws = { input: between(-2, 2), logForget: between(-0.5, 0) };
/**
 * Powers of e from 1e-26 to 1e26, which multiplied without a stabilizer would leave float32. Positive vectors keep n'q away
 * from 0, where S'q / n'q is too steep for finite differences.
 */
const wild: Draws = {
  vectors: between(0.2, 1.2),
  input: between(-60, 60),
  logForget: (rng) => [-1e-3, -3 * rng.next(), -100][rng.below(3)],
};

function compare({ B, T, h, dk, dv }: Sizes, chunk: number, { vectors, input, logForget }: Draws) {
  const keys: Input = { shape: [B, T, h, dk], ...(vectors && { draw: vectors }) };
  return check({
    name: `matrix memory ${[B, T, h, dk, dv, chunk]}`,
    inputs: [
      keys,
      keys,
      { shape: [B, T, h, dv] },
      { shape: [B, T, h], draw: input },
      { shape: [B, T, h], draw: logForget },
    ],
    op: (q, k, v, i, f) => matrixMemory(q, k, v, i, f, { chunk }),
    naive: (...given) =>
      eachHead((q, k, v, i, f) => matrixMemoryNaive(q, k, v, onlyNumber(i), onlyNumber(f)), given),
  });
}

describe("the chunked kernel equals the recurrence, gradients too", () => {
  test.each([
    [{ B: 1, T: 1, h: 1, dk: 1, dv: 1 }, 32],
    [{ B: 2, T: 7, h: 2, dk: 3, dv: 5 }, 1],
    [{ B: 1, T: 37, h: 1, dk: 2, dv: 7 }, 7],
    [{ B: 2, T: 32, h: 2, dk: 4, dv: 3 }, 32],
    [{ B: 1, T: 65, h: 1, dk: 5, dv: 2 }, 33],
  ])("at %j in chunks of %d", async (sizes, chunk) => {
    await compare(sizes, chunk, mild);
  });

  test("at any size, in any chunks", async () => {
    const count = (max: number) => fc.integer({ min: 1, max });
    const sizes = fc.record({ B: count(2), T: count(30), h: count(2), dk: count(6), dv: count(6) });
    await fc.assert(
      fc.asyncProperty(sizes, count(40), (each, chunk) => compare(each, chunk, mild)),
      { seed: 2, numRuns: 6 },
    );
  });

  test.each([1, 5, 32])("with gates from e^-60 to e^60, in chunks of %d", (chunk) =>
    compare({ B: 1, T: 40, h: 1, dk: 3, dv: 2 }, chunk, wild),
  );

  test.each([1, 4, 32])(
    "with gates from e^88 to e^120, where e^-m is 0 in float32, in chunks of %d",
    (chunk) => compare({ B: 1, T: 40, h: 1, dk: 3, dv: 2 }, chunk, { ...wild, input: between(88, 120) }),
  );
});

test("a gate so far down that its power is 0 gives 0, not NaN", async () => {
  const graph = new Graph();
  const [q, v] = ["q", "v"].map((name) => graph.input(name, [1, 3, 1, 2]));
  const [input, forget] = ["input", "forget"].map((name) => graph.input(name, [1, 3, 1]));
  const { h } = await evaluate(
    graph,
    { h: matrixMemory(q, q, v, input, forget) },
    {
      q: Float32Array.of(1, 0, 1, 0, 1, 0),
      v: Float32Array.of(5, 5, 5, 5, 5, 5),
      input: Float32Array.of(-200, -200, 0),
      forget: Float32Array.of(-200, -200, 0),
    },
  );
  expect([...h]).toEqual([0, 0, 0, 0, 5, 5]);
});
