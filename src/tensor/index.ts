/** @file The tensor engine: graphs of ONNX nodes that know their gradients, and sessions that run them. */

export * from "./activations.ts";
export * from "./arithmetic.ts";
export * from "./attention.ts";
export * from "./causal-convolution.ts";
export * from "./cross-entropy.ts";
export { type DeltaRuleOptions, type DeltaRuleResult, deltaRule, deltaRuleFrom } from "./delta-rule.ts";
export * from "./embedding.ts";
export { gatedDeltaRule, gatedDeltaRuleFrom } from "./gated-delta-rule.ts";
export { grad } from "./gradient.ts";
export * from "./graph.ts";
export { type GruStep, gruRecurrence, gruStep } from "./gru-recurrence.ts";
export { type LstmStep, lstmRecurrence, lstmStep } from "./lstm-recurrence.ts";
export * from "./matmul.ts";
export * from "./matrix-memory.ts";
export * from "./maximum.ts";
export { peakBytes } from "./memory.ts";
export * from "./normalize.ts";
export { writeOnnx } from "./onnx.ts";
export * from "./parameters.ts";
export * from "./reduce.ts";
export * from "./rotary.ts";
export * from "./scan.ts";
export * from "./session.ts";
export * from "./shape.ts";
export * from "./softmax.ts";
export * from "./unit-lower-inverse.ts";
