/** @file Whether a device trains the architectures: which operators it leaves to the CPU, and how far its gradient is from the CPU's. */

import { rngFrom } from "../../core/rng.ts";
import { configureModel, initialParameters, type ModelName, modelNamed } from "../../models/index.ts";
import { flattenParameters } from "../../tensor/index.ts";
import { compile, type Device } from "../../tensor/session.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { gradientName, trainingGraph } from "../../train/graph.ts";
import { type OperatorCounts, profiledRun } from "./placement.ts";

export interface ModelOnDevice {
  readonly model: string;
  readonly nodes: number;
  readonly onCpu: OperatorCounts;
  /** |g - g'| / |g|, for the gradients g on the CPU and g' on the device. */
  readonly difference: number;
}

const [BATCH, LENGTH, VOCABULARY] = [2, 8, 11];

/** Further fields of models that need some. */
const needed: Partial<Record<ModelName, object>> = {
  gmu: { name: "hybrid", pattern: ["deltanet", "gmu"], layers: 2 },
  hybrid: { pattern: ["gated-deltanet", "transformer"], layers: 2 },
};

/** One training step of a small model with random tokens, on the device and on the CPU. */
export async function examineModel(name: ModelName, device: Device): Promise<ModelOnDevice> {
  const described = { name, layers: 1, width: 32, ...needed[name] };
  const model = configureModel(modelNamed(described.name), described, VOCABULARY, name);
  const rng = rngFrom(0);
  const parameters = flattenParameters(initialParameters(model, rng.fork("parameters")));
  const words = () => Int32Array.from({ length: BATCH * LENGTH }, () => rng.below(VOCABULARY));
  const feeds = {
    ...Object.fromEntries(parameters.map(([path, { data }]) => [path, data])),
    ...{ tokens: words(), targets: words(), weights: new Float32Array(BATCH * LENGTH).fill(1) },
    inUse: new Float32Array(BATCH * LENGTH).fill(1),
  };
  const { graph, outputs } = trainingGraph(model, BATCH, LENGTH);
  const { results, nodes, onCpu } = await profiledRun(graph, outputs, nodeRuntime({ device }), feeds);
  const session = await compile(graph, outputs, nodeRuntime());
  const wanted = await session.run(feeds).finally(() => session.release());
  let [error, square] = [0, 0];
  for (const [path] of parameters) {
    const [got, right] = [results, wanted].map((each) => each[gradientName(path)] as Float32Array); // as all gradients
    for (const [i, each] of right.entries()) {
      error += (got[i] - each) ** 2;
      square += each ** 2;
    }
  }
  return { model: name, nodes, onCpu, difference: Math.sqrt(error / square) };
}
