/**
 * @file The lab as a library: `import { ... } from "statelab"`.
 *
 *     import { createTrainer, modelNamed, nodeRuntime, RunConfig, taskNamed } from "statelab";
 *
 *     const config = RunConfig.parse({ task: { name: "repl", spacing: 1 }, model: { name: "deltanet" } });
 *     const parts = { task: taskNamed("repl"), mixer: modelNamed("deltanet"), runtime: nodeRuntime(), now: () => 0 };
 *     const trainer = await createTrainer(config, parts);
 *     for await (const { step, loss } of trainer.steps()) console.log(step, loss);
 *
 * A task or a model of your own is written with `defineTask` and `defineModel` (docs/add-a-task.md, docs/add-a-model.md).
 */

export { z } from "zod";
export * as belief from "./analysis/belief/index.ts";
export * as groups from "./math/groups.ts";
export * as permutations from "./math/permutations.ts";
export { type Rng, rngFrom } from "./math/rng.ts";
export * as statistics from "./math/statistics.ts";
export * from "./models/index.ts";
export * from "./models/layers.ts";
export type { Context, State, StepContext } from "./models/model.ts";
export {
  defaultLimits,
  type Limits,
  type Outcome,
  type PythonHost,
  type PythonRequest,
} from "./python/host.ts";
export { openHost } from "./python/open.ts";
export { applySettings, parseWith, parseYaml } from "./records/config.ts";
export { fail, LabError } from "./records/error.ts";
export { Claim, ExperimentResult, ResultRow, TrainingCurve } from "./records/result.ts";
export { CurriculumConfig, RunConfig, StepRecord, TrainConfig } from "./records/run.ts";
export { decodeSafetensors, encodeSafetensors } from "./records/safetensors.ts";
export { PythonValue, TraceRecord } from "./records/trace.ts";
export { headlineFigure, headlineReport, headlineTable } from "./report/headline.ts";
export * from "./tasks/index.ts";
export * from "./tensor/index.ts";
export { nodeRuntime } from "./tensor/session-node.ts";
export { adamW, emptyMoments } from "./train/adamw.ts";
export { type Decoder, type DecoderOptions, keepsPast, openDecoder } from "./train/decoder.ts";
export { type Evaluation, evaluate, evaluateReferences, type Test } from "./train/evaluate.ts";
export { sequenceOnnx, stepGraph, stepOnnx } from "./train/export.ts";
export { learningRateAt } from "./train/schedule.ts";
export { createTrainer, type Parts, type Saved, type Trainer, type TrainerState } from "./train/trainer.ts";
