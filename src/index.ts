/**
 * @file statelab: what a task or a model of your own is written with, and the shortest way to a training. Everything else
 * is in the subpaths, statelab/tensor and so on (docs/library.md).
 *
 *     import { defineTask, z } from "statelab";
 *     export default defineTask({ name: "lamp", params: z.strictObject({ ... }), prepare(params) { ... }, ... });
 */

export { groups, permutations, type Rng, rngFrom, statistics } from "./public/math.ts";
export {
  applyModel,
  type Context,
  configureModel,
  constantParameter,
  convolutionParameter,
  convolutionStep,
  convolutionStepIfAny,
  decayParameters,
  defineModel,
  headWidth,
  initialParameters,
  joinHeads,
  logDecay,
  type Model,
  modelNamed,
  models,
  norm,
  normal,
  pastOf,
  type State,
  type StepContext,
  splitHeads,
  stateShapes,
  stepModel,
  swiGlu,
  tapStep,
  unitQueryKeyValue,
} from "./public/models.ts";
export { nodeRuntime } from "./public/node.ts";
export {
  applySettings,
  decodeSafetensors,
  ExperimentResult,
  encodeSafetensors,
  fail,
  LabError,
  parseWith,
  parseYaml,
  RunConfig,
  z,
} from "./public/records.ts";
export {
  batchWriter,
  defineTask,
  type Example,
  emptyBatch,
  exactBayes,
  exampleFrom,
  exampleStream,
  maximumLength,
  type Prepared,
  prepareTask,
  readProgram,
  replReferences,
  type Sink,
  type Task,
  taskNamed,
  tasks,
  tokenizerNamed,
  windowedBayes,
} from "./public/tasks.ts";
export * from "./public/tensor.ts";
export {
  createTrainer,
  evaluate,
  evaluateReferences,
  sequenceOnnx,
  stepOnnx,
  type Test,
} from "./public/train.ts";
export { headlineTable } from "./report/accuracy-table.ts";
export { headlineReport } from "./report/experiment-headline.ts";
