/** @file Every architecture of the zoo computes a training step on WebGPU without the CPU, with the CPU's gradient. */

import { expect, test } from "vitest";
import { rows } from "../experiments/zoo/data.ts";
import { describeCounts, profiledRun } from "../src/app/doctor/placement.ts";
import { rngFrom } from "../src/core/rng.ts";
import { filled, parameterData, randomTokens, small, varied } from "../src/models/conformance.test-helper.ts";
import type { ModelName } from "../src/models/index.ts";
import { compile } from "../src/tensor/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { trainingGraph } from "../src/train/graph.ts";
import { hasSwiftShader, swiftShader } from "./kit/swiftshader.ts";

const [batch, length] = [2, 7];

test.skipIf(!hasSwiftShader).each(Object.keys(rows))("%s", async (row) => {
  Object.assign(process.env, swiftShader);
  const { name, ...own } = rows[row].model;
  const model = small(name as ModelName, { layers: 1, ...own });
  const rng = rngFrom(12);
  const [tokens, targets] = [0, 1].map(() => Int32Array.from(randomTokens(rng, batch, length).flat()));
  const weights = filled([batch, length], 1);
  const feeds = { ...parameterData(varied(model)), tokens, targets, weights };
  const { graph, outputs } = trainingGraph(model, batch, length);
  const { onCpu, results } = await profiledRun(graph, outputs, nodeRuntime({ device: "webgpu" }), feeds);
  expect(describeCounts(onCpu)).toBe("");
  const session = await compile(graph, outputs, nodeRuntime());
  const wanted = await session.run(feeds).finally(() => session.release());
  for (const [output, right] of Object.entries(wanted)) {
    let [error, square] = [0, 0];
    for (const [i, each] of right.entries()) {
      error += (Number(results[output][i]) - Number(each)) ** 2;
      square += Number(each) ** 2;
    }
    expect(Math.sqrt(error), output).toBeLessThanOrEqual(1e-3 * Math.sqrt(square));
  }
});
