/** @file The graph of one training step without the update: loss, hits, and the gradient of every parameter. */

import { applyModel, type Model, type ModelParameters } from "../models/index.ts";
import type { StateSizes } from "../tasks/index.ts";
import {
  add,
  correct,
  crossEntropy,
  flattenParameters,
  Graph,
  grad,
  type ParameterTree,
  scale,
  type Tensor,
} from "../tensor/index.ts";
import { STATE_HEAD, type Supervision } from "./state/index.ts";

/** The name under which a parameter's gradient is fetched. */
export function gradientName(path: string): string {
  return `gradient.${path}`;
}

/** All that is trained: the model, and with state supervision its head. */
export type TrainedParameters = ModelParameters & { readonly [STATE_HEAD]?: ParameterTree };

/**
 * Inputs: tokens, targets int32 [B, T], weights [B, T], and every parameter by its path.
 * Outputs: `loss`, a scalar; `hits` [B, T], 1 where the most probable word is the target; `gradient.PATH`. With state
 * supervision also the head's inputs, and its `stateLoss` and `stateAccuracy`; the gradient is of the weighted sum.
 */
export function trainingGraph(
  model: Model,
  { [STATE_HEAD]: head, ...tree }: TrainedParameters,
  batch: number,
  length: number,
  states?: { readonly supervision: Supervision; readonly sizes: StateSizes },
) {
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [batch, length], "int32"));
  const weights = graph.input("weights", [batch, length]);
  const parameters = graph.parameters(tree);
  const tapped = new Map<string, Tensor>();
  const taps = (name: string, value: Tensor) => tapped.set(name, value);
  const logits = applyModel(model, parameters, tokens, states === undefined ? {} : { taps });
  const loss = crossEntropy(logits, targets, weights);
  const outputs: Record<string, Tensor> = { loss, hits: correct(logits, targets) };
  let whole = loss;
  if (states !== undefined && head !== undefined) {
    const { supervision, sizes } = states;
    const hidden = tapped.get(supervision.tap)!; // every layer is tapped
    const auxiliary = supervision.loss(graph.parameters(head, STATE_HEAD), parameters, hidden, sizes, graph);
    Object.assign(outputs, { stateLoss: auxiliary.loss, stateAccuracy: auxiliary.accuracy });
    whole = add(loss, scale(auxiliary.loss, supervision.weight));
  }
  const trained = { ...tree, ...(states !== undefined && head !== undefined && { [STATE_HEAD]: head }) };
  const paths = flattenParameters(trained).map(([path]) => path);
  const inputs = paths.map((path) => graph.inputs.find(({ name }) => name === path)!);
  const gradients = grad(whole, inputs);
  for (const [i, path] of paths.entries()) outputs[gradientName(path)] = gradients[i];
  return { graph, outputs };
}
