/**
 * @file statelab/train: the loop as a generator of steps, evaluation, decoding, ONNX files of a trained model. Reaches
 * no module of Node and writes nothing; statelab/runs does the same with folders.
 *
 *     const trainer = await createTrainer(config, { task, architecture, runtime, now: () => performance.now() });
 *     for await (const { step, loss } of trainer.steps()) console.log(step, loss);
 */

export { type TrainingData, trainingData } from "../train/data.ts";
export { type Decoder, type DecoderOptions, keepsPast, openDecoder } from "../train/decoder.ts";
export { type Evaluation, evaluate, evaluateReferences, type Test } from "../train/evaluate.ts";
export { sequenceOnnx, stepGraph, stepOnnx } from "../train/onnx-export.ts";
export { adamw } from "../train/optimizers/adamw.ts";
export type { Optimizer, OptimizerConfig, Trained } from "../train/optimizers/optimizer.ts";
export { learningRateAt } from "../train/schedule.ts";
export { createTrainer, type Parts, type Saved, type Trainer, type TrainerState } from "../train/trainer.ts";
