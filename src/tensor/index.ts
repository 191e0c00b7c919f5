/** @file The tensor engine: graphs of differentiable ONNX nodes, and sessions that run them. */

export { cos, exp, log, sigmoid, silu, sin, softplus, sqrt, tanh } from "./activations.ts";
export {
  add,
  cumulativeSum,
  divide,
  expand,
  mean,
  multiply,
  negate,
  reshape,
  scale,
  subtract,
  sum,
} from "./arithmetic.ts";
export { causalAttention } from "./attention.ts";
export { causalConvolution } from "./causal-convolution.ts";
export { correct, crossEntropy, weightedLogLoss } from "./cross-entropy.ts";
export { deltaRule } from "./delta-rule.ts";
export { dplr } from "./dplr.ts";
export { embedding, oneHot } from "./embedding.ts";
export { gatedDeltaRule } from "./gated-delta-rule.ts";
export { grad } from "./gradient.ts";
export {
  Graph,
  node,
  nodes,
  size,
  type Tensor,
  type TensorData,
  type TensorTree,
  withGradient,
} from "./graph.ts";
export { gruRecurrence } from "./gru-recurrence.ts";
export { lstmRecurrence } from "./lstm-recurrence.ts";
export { linear, linearParts, matmul } from "./matmul.ts";
export { matrixMemory } from "./matrix-memory.ts";
export { maximum, stopGradient } from "./maximum.ts";
export { rmsNorm, unitNorm } from "./normalize.ts";
export { writeOnnx } from "./onnx.ts";
export { overTime, scanSessions, sessionPlaces, sessionStarts } from "./packed-sequences.ts";
export {
  flattenParameters,
  type Parameter,
  type ParameterShape,
  type ParameterTree,
  type Shape,
  shapesOf,
  withData,
} from "./parameters.ts";
export { rotary } from "./rotary.ts";
export { scan } from "./scan.ts";
export { type Compiled, compile, type Runtime } from "./session.ts";
export { concat, full, pad, slice, split, transpose } from "./shape.ts";
export { logSoftmax, softmax } from "./softmax.ts";
export { choice } from "./top-k.ts";
