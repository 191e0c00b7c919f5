import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { relativeError } from "../tensor/check.test-helper.ts";
import { compile } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import { numbersOf } from "./examine/run.ts";
import { configureModel, initialParameters, modelNamed } from "./index.ts";

/** Loss and gradients of two sequences, with all pairs weighed within chunks of so many tokens. */
async function trained(length: number, chunk: number, decayBias = 0) {
  const own = { name: "log-linear", layers: 1, width: 8, chunk };
  const model = configureModel(modelNamed("log-linear"), own, 5, "test");
  const weights = numbersOf(initialParameters(model, rngFrom(3)));
  weights["layers.0.mixer.decayBias"].fill(decayBias);
  const { graph, outputs } = trainingGraph(model, 2, length);
  const session = await compile(graph, outputs, nodeRuntime());
  const rng = rngFrom(4);
  const words = () => Int32Array.from({ length: 2 * length }, () => rng.below(5));
  const feeds = {
    tokens: words(),
    targets: words(),
    weights: new Float32Array(2 * length).fill(1),
    ...weights,
  };
  const results = await session.run(feeds);
  await session.release();
  return { paths: Object.keys(weights), results };
}

test.each([
  [64, 8, 0],
  [65, 8, 0],
  [71, 2, 0],
  [127, 16, 0],
  [129, 64, 0],
  [200, 16, -2000], // a token fades by e^-125: what is behind the end must not grow by as much
])(
  "%i tokens in chunks of %i have the loss and the gradients of all pairs at once",
  async (length, chunk, bias) => {
    const [inChunks, atOnce] = [await trained(length, chunk, bias), await trained(length, 256, bias)];
    expect(inChunks.results.loss[0]).toBeCloseTo(atOnce.results.loss[0] as number, 5);
    for (const path of inChunks.paths) {
      const [a, b] = [inChunks, atOnce].map(({ results }) => results[gradientName(path)] as Float32Array);
      expect(a.every(Number.isFinite), path).toBe(true);
      expect(relativeError(a, b), path).toBeLessThan(1e-4);
    }
  },
);

test("a chunk that is no power of two is refused in one sentence", async () => {
  await expect(trained(8, 48)).rejects.toThrow("log-linear: expected a chunk that is a power of two, got 48");
});
