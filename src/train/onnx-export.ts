/**
 * @file Inference graphs of a trained model as ONNX files with standard operators and the weights inside.
 *
 *     model.onnx   tokens int32 [1, T] -> logits [1, T, V], for one sequence length
 *     step.onnx    token int32 [1], position int32 [1], states -> logits [1, V], the states after (`next.NAME`);
 *                  a sequence starts with zeros
 */

import { applyModel, type Model, type ModelShapes, stateShapes, stepModel } from "../models/index.ts";
import { extendModel, growingStates } from "../models/prefill.ts";
import { full, Graph, type Tensor, writeOnnx } from "../tensor/index.ts";

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

interface ExtendSizes {
  readonly batch: number;
  /** Tokens per call. */
  readonly length: number;
  readonly context: number;
}

/**
 * The graph of `length` tokens after a past of any length, with its mask `unseen`; outputs `logits` [B, T, V], `rows.NAME` for growing
 * states and `next.NAME` for the others. `open` are the axes of the past, for `writeOnnx`.
 */
export function extendGraph(
  graph: Graph,
  model: Model,
  tree: ModelShapes,
  { batch, length, context }: ExtendSizes,
) {
  const growing = growingStates(model);
  const token = graph.input("token", [batch, length], "int32");
  const position = graph.input("position", [batch], "int32");
  const past = 2 + length; // a placeholder: no value of the graph depends on it
  const keeps = Object.keys(growing).length > 0;
  const unseen = keeps ? graph.input("unseen", [batch, 1, 1, past]) : full(graph, [batch, 1, 1, past], 0);
  const open: Record<string, number> = keeps ? { unseen: 3 } : {};
  const states = Object.fromEntries(
    Object.entries(stateShapes(model, past)).map(([name, shape]) => {
      if (name in growing) open[`state.${name}`] = growing[name] + 1;
      return [name, graph.input(`state.${name}`, [batch, ...shape])];
    }),
  );
  const places = { position, unseen, bound: context };
  const after = extendModel(model, graph.parameters(tree), token, states, places);
  const outputs: Record<string, Tensor> = { logits: after.logits };
  for (const [name, row] of Object.entries(after.rows)) outputs[`rows.${name}`] = row;
  for (const [name, state] of Object.entries(after.states)) outputs[`next.${name}`] = state;
  return { outputs, open };
}
