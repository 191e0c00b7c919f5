/**
 * @file statelab/train: a training in memory, its tests, decoding, ONNX files of a model. Free of Node.
 *
 *     const trainer = await createTrainer(config, { task, architecture, runtime, now });
 *     for await (const { step, loss } of trainer.steps()) ...
 */

export { openDecoder } from "./decoder.ts";
export { evaluate, evaluateReferences, type Test } from "./evaluate.ts";
export { sequenceOnnx, stepOnnx } from "./onnx-export.ts";
export { adamw } from "./optimizers/adamw.ts";
export { createTrainer, type Trainer } from "./trainer.ts";
