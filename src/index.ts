/**
 * @file statelab: what a task or a model of your own is written with, and the shortest way to a training. Everything else
 * is in the subpaths, statelab/tensor and so on (docs/how-to/library.md).
 *
 *     import { defineTask, z } from "statelab";
 *     export default defineTask({ name: "lamp", params: z.strictObject({ ... }), prepare(params) { ... }, ... });
 */

export {
  applySettings,
  fail,
  groups,
  LabError,
  parseWith,
  parseYaml,
  permutations,
  type Rng,
  rngFrom,
  statistics,
} from "./core/index.ts";
export * from "./models/index.ts";
export { decodeSafetensors, ExperimentResult, encodeSafetensors, RunConfig, z } from "./schemas/index.ts";
export * from "./tasks/index.ts";
export * from "./tensor/index.ts";
export { nodeRuntime } from "./tensor/session-node.ts";
export {
  createTrainer,
  evaluate,
  evaluateReferences,
  sequenceOnnx,
  stepOnnx,
  type Test,
} from "./train/index.ts";
