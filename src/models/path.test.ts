import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { relativeError } from "../tensor/check.test-helper.ts";
import { compile } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import { numbersOf } from "./examine/run.ts";
import { configureModel, initialParameters, modelNamed } from "./index.ts";

/** Loss and gradients of one sequence, with rows found so many at a time. */
async function trained(length: number, chunk: number) {
  const own = { name: "path", layers: 1, width: 8, chunk };
  const model = configureModel(modelNamed("path"), own, 5, "test");
  const weights = numbersOf(initialParameters(model, rngFrom(3)));
  const { graph, outputs } = trainingGraph(model, 1, length);
  const session = await compile(graph, outputs, nodeRuntime());
  const rng = rngFrom(4);
  const words = () => Int32Array.from({ length }, () => rng.below(5));
  const feeds = { tokens: words(), targets: words(), weights: new Float32Array(length).fill(1), ...weights };
  const results = await session.run(feeds);
  await session.release();
  return { paths: Object.keys(weights), results };
}

test("a sequence whose gradient is computed again in groups of chunks has the loss and the gradients of one that is read at once", async () => {
  const length = 1030; // above what is kept, and no multiple of the chunk, nor their number one of a group
  const [grouped, atOnce] = [await trained(length, 32), await trained(length, length)];
  expect(grouped.results.loss[0]).toBeCloseTo(atOnce.results.loss[0] as number, 5);
  for (const path of grouped.paths) {
    const [a, b] = [grouped, atOnce].map(({ results }) => results[gradientName(path)] as Float32Array);
    expect(relativeError(a, b), path).toBeLessThan(1e-4);
  }
});
