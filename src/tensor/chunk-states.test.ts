import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { add, multiply, reshape, sum } from "./arithmetic.ts";
import { drawn, evaluate, relativeError } from "./check.test-helper.ts";
import { chunkStates } from "./chunk-states.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { concat, split } from "./shape.ts";

const [B, h, C, dk, dv] = [2, 2, 3, 4, 5];
const shapesOf = (N: number) => ({
  f: [N, B, h, 1, 1],
  A: [N, B, h, dk, dv],
  W: [N, B, h, C, dk],
  U: [N, B, h, C, dv],
  K: [N, B, h, C, dk],
});
type Name = keyof ReturnType<typeof shapesOf>;

/** The equations as one op after the other, without a Scan, so that their gradient is each op's own. */
function oneAfterTheOther(start: Tensor, chunks: Partial<Record<Name, Tensor>>, N: number) {
  const cut = (x: Tensor) =>
    split(x, 0, new Array<number>(N).fill(1)).map((y) => reshape(y, y.shape.slice(1)));
  const { f, A, W, U, K } = Object.fromEntries(Object.entries(chunks).map(([name, x]) => [name, cut(x)]));
  let S = start;
  const [before, errors]: Tensor[][] = [[], []];
  for (let n = 0; n < N; n++) {
    before.push(S);
    if (f !== undefined) S = multiply(S, f[n]);
    if (A !== undefined) S = add(S, A[n]);
    if (K === undefined) continue;
    const D = add(U[n], matmul(W[n], before[n]));
    errors.push(D);
    S = add(S, matmul(K[n], D, { transposeX: true }));
  }
  const stacked = (all: Tensor[]) =>
    all.length === 0
      ? undefined
      : concat(
          all.map((x) => reshape(x, [1, ...x.shape])),
          0,
        );
  return { before: stacked(before), D: stacked(errors), last: S };
}

test.each([
  [4, "WUK", "before,D"],
  [4, "WUK", "before"],
  [4, "WUK", "D"],
  [3, "WUK", "last"],
  [3, "fWUK", "before,D,last"],
  [3, "fA", "before,last"],
  [3, "fA", "before"],
  [4, "fAWUK", "before,D,last"],
  [1, "fAWUK", "before,D,last"],
])(
  "over %d chunks with %s: %s and the gradients of its inputs are those of one op after the other",
  async (N, names, used) => {
    const graph = new Graph();
    const rng = rngFrom(N);
    const shapes: Record<string, number[]> = { start: [B, h, dk, dv] };
    for (const name of names) shapes[name] = shapesOf(N)[name as Name];
    const inputs = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [name, graph.input(name, shape)]),
    );
    const { start, ...chunks } = inputs;
    const outputs: Record<string, Tensor> = {};
    for (const [way, results] of Object.entries({
      fast: chunkStates(start, chunks),
      slow: oneAfterTheOther(start, chunks, N),
    })) {
      const parts = used.split(",").map((name) => {
        const y = results[name as "D"]!;
        outputs[`${way} ${name}`] = y;
        const weight = Float32Array.from(drawn({ shape: y.shape }, rngFrom(y.shape.length)).data);
        return sum(multiply(y, graph.constant(weight, y.shape)));
      });
      const gradients = grad(parts.reduce(add), Object.values(inputs));
      for (const [i, name] of Object.keys(inputs).entries()) outputs[`${way} d${name}`] = gradients[i];
    }
    const fed = Object.fromEntries(
      Object.entries(shapes).map(([name, shape]) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    const found = await evaluate(graph, outputs, fed);
    for (const name of Object.keys(outputs).filter((each) => each.startsWith("fast")))
      expect(relativeError(found[name], found[name.replace("fast", "slow")]), name).toBeLessThan(1e-5);
  },
);
