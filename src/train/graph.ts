/** @file The graph of one training step without the update: loss, hits, and the gradient of every parameter. */

import { applyModel, type Model, type ModelParameters } from "../models/index.ts";
import { correct, crossEntropy, flattenParameters, Graph, grad, type Tensor } from "../tensor/index.ts";

/** The name under which a parameter's gradient is fetched. */
export function gradientName(path: string): string {
  return `gradient.${path}`;
}

/**
 * Inputs: tokens, targets int32 [B, T], weights [B, T], and every parameter by its path.
 * Outputs: `loss`, a scalar; `hits` [B, T], 1 where the most probable word is the target; `gradient.PATH`.
 */
export function trainingGraph(model: Model, tree: ModelParameters, batch: number, length: number) {
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [batch, length], "int32"));
  const weights = graph.input("weights", [batch, length]);
  const parameters = graph.parameters(tree);
  const logits = applyModel(model, parameters, tokens);
  const loss = crossEntropy(logits, targets, weights);
  const paths = flattenParameters(tree).map(([path]) => path);
  const inputs = paths.map((path) => graph.inputs.find(({ name }) => name === path)!);
  const gradients = grad(loss, inputs);
  const outputs: Record<string, Tensor> = { loss, hits: correct(logits, targets) };
  for (const [i, path] of paths.entries()) outputs[gradientName(path)] = gradients[i];
  return { graph, outputs };
}
