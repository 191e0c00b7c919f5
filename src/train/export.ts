/**
 * @file The inference graphs of a trained model as ONNX files in standard operators, weights inside.
 *
 *     model.onnx   tokens int32 [1, T] -> logits [1, T, V], for one sequence length
 *     step.onnx    token int32 [1], position int32 [1], states -> logits [1, V], the states after (`next.NAME`);
 *                  a sequence starts with zeros
 */

import { applyModel, type Model, type ModelShapes, stateShapes, stepModel } from "../models/index.ts";
import { Graph, type Tensor, writeOnnx } from "../tensor/index.ts";

type Weights = Readonly<Record<string, Float32Array>>;

export function sequenceOnnx(model: Model, tree: ModelShapes, weights: Weights, length: number): Uint8Array {
  const graph = new Graph({ portable: true });
  const tokens = graph.input("tokens", [1, length], "int32");
  const logits = applyModel(model, graph.parameters(tree), tokens);
  return writeOnnx(graph, { logits }, weights);
}

/** `length` bounds the number of steps for models that keep all of them (the Transformer's cache). */
export function stepOnnx(model: Model, tree: ModelShapes, weights: Weights, length: number): Uint8Array {
  const graph = new Graph({ portable: true });
  const { outputs } = stepGraph(graph, model, tree, 1, length);
  return writeOnnx(graph, outputs, weights);
}

/** The graph of one step for `batch` sequences; outputs `logits` and `next.NAME` for each state NAME. */
export function stepGraph(graph: Graph, model: Model, tree: ModelShapes, batch: number, length: number) {
  const token = graph.input("token", [batch], "int32");
  const position = graph.input("position", [batch], "int32");
  const shapes = stateShapes(model, length);
  const states = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, graph.input(`state.${name}`, [batch, ...shape])]),
  );
  const after = stepModel(model, graph.parameters(tree), token, position, states);
  const outputs: Record<string, Tensor> = { logits: after.logits };
  for (const [name, state] of Object.entries(after.states)) outputs[`next.${name}`] = state;
  return { outputs, shapes };
}
