/**
 * @file Inference graphs of a trained model as ONNX files with standard operators and the weights inside.
 *
 *     model.onnx   tokens int32 [B, T] -> logits [B, T, V] and every recorded value, `layers.L.NAME` (docs/reference/models.md)
 *     step.onnx    token int32 [1], position int32 [1], states -> logits [1, V], the states after (`next.NAME`);
 *                  a sequence starts with zeros
 */

import { applyModel, type Model, type ModelShapes, stateShapes, stepModel } from "../models/index.ts";
import { extendModel } from "../models/prefill.ts";
import { growingStates } from "../models/stack.ts";
import { integers } from "../tensor/arithmetic.ts";
import {
  concat,
  flattenParameters,
  full,
  Graph,
  node,
  reshape,
  scan,
  slice,
  type Tensor,
  writeOnnx,
} from "../tensor/index.ts";

type Weights = Readonly<Record<string, Float32Array>>;

/**
 * For any number of sequences of at most `length` tokens. Nodes have fixed shapes, so each sequence is padded to `length`, which changes
 * no earlier output of a causal model, and a Scan applies the model to one after the other.
 */
export function sequenceOnnx(model: Model, tree: ModelShapes, weights: Weights, length: number): Uint8Array {
  const graph = new Graph({ portable: true });
  // The time axis of a recorded value is recognized by its size, which no width, number of heads or width of a head may have.
  const widths = flattenParameters(tree).flatMap(([, { shape }]) => shape);
  let size = length;
  while (widths.some((width) => width % size === 0)) size++;
  const tokens = graph.input("tokens", [1, length], "int32");
  const given = slice(node("Shape", [tokens], { shape: [2], dtype: "int64" }), 0, 1, 2); // T, at run time
  const missing = node("Sub", [integers(graph, [size]), given], { shape: [1], dtype: "int64" });
  const pads = concat([integers(graph, [0, 0, 0]), missing], 0);
  const padded = node("Pad", [tokens, pads], { shape: [1, size], dtype: "int32" });
  const parameters = graph.parameters(tree);
  const names: string[] = [];
  const { outputs } = scan([padded], [], (_, [row]) => {
    const recorded: Record<string, Tensor> = {};
    const taps = (name: string, value: Tensor) => {
      recorded[name] = value;
    };
    // Of a trained prefix only the outputs are cut off again.
    const attachments = tree.initialState?.prefix === undefined ? { taps } : {};
    const logits = applyModel(model, parameters, reshape(row, [1, size]), attachments);
    names.push("logits", ...Object.keys(recorded));
    const values = [logits, ...Object.values(recorded)];
    return { states: [], outputs: values.map((value) => reshape(value, value.shape.slice(1))) };
  });
  const [from, step] = [0n, 1n].map((value) => graph.constant(BigInt64Array.of(value), []));
  const places = node("Range", [from, reshape(given, []), step], { shape: [length], dtype: "int64" });
  const open: Record<string, Record<number, string>> = { tokens: { 0: "batch", 1: "length" } };
  const cut = outputs.map((output, i) => {
    open[names[i]] = { 0: "batch" };
    return output.shape.reduce((value, dimension, axis) => {
      if (axis === 0 || dimension !== size) return value;
      open[names[i]][axis] = "length";
      // A longer sequence asks for places that do not exist, which is an error.
      return node("Gather", [value, places], { shape: value.shape.with(axis, length), attributes: { axis } });
    }, output);
  });
  return writeOnnx(graph, Object.fromEntries(names.map((name, i) => [name, cut[i]])), weights, open);
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
  const open: Record<string, Record<number, string>> = keeps ? { unseen: { 3: "past" } } : {};
  const states = Object.fromEntries(
    Object.entries(stateShapes(model, past)).map(([name, shape]) => {
      if (name in growing) open[`state.${name}`] = { [growing[name] + 1]: "past" };
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
