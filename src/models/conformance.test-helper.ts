/** @file The lab's own models, small, and what it takes to run them in a test. */

import type { Rng } from "../core/rng.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import * as examine from "./conformance/run.ts";
import { configureModel, type Model, type ModelName, type ModelParameters, modelNamed } from "./index.ts";

export {
  filled,
  furthest,
  parameterData,
  type Run,
  toRows,
  varied,
} from "./conformance/run.ts";

export const runtime = nodeRuntime();
export const vocabulary = 11;

/** A model of 2 layers and width 8 unless `config` says otherwise. */
export function small(name: ModelName, config: object): Model {
  const sizes = { layers: 2, width: 8, feedForward: 12 };
  return configureModel(modelNamed(name), { name, ...sizes, ...config }, vocabulary, "model");
}

/** [B][T] tokens. */
export const randomTokens = (rng: Rng, batch: number, length: number) =>
  examine.tokensBelow(vocabulary, rng, batch, length);

type Given<Rest extends unknown[]> = [model: Model, tree: ModelParameters, ...Rest];

export const runParallel = (...given: Given<[examine.Sequences, examine.RunAttachments?]>) =>
  examine.runParallel(runtime, ...given);
export const parallelRunner = (...given: Given<[batch: number, length: number, examine.RunAttachments?]>) =>
  examine.parallelRunner(runtime, ...given);
export const runSteps = (...given: Given<[examine.Sequences, bound: number]>) =>
  examine.runSteps(runtime, ...given);
