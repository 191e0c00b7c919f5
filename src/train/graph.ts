/** @file The graph of one training step without the update: losses, hits, and the gradient of every parameter. */

import { noNumbers } from "../core/rng.ts";
import { applyModel, type Model, parameterShapes } from "../models/index.ts";
import {
  add,
  correct,
  flattenParameters,
  Graph,
  grad,
  scale,
  shapesOf,
  type Tensor,
} from "../tensor/index.ts";
import type { Objective, WeightedObjective } from "./objectives/objective.ts";
import { revealsAlone } from "./objectives/reveals.ts";

/** The name under which a parameter's gradient is fetched. */
export function gradientName(path: string): string {
  return `gradient.${path}`;
}

/** The shapes of an objective's own parameters, under its key. */
function ownShapes({ own }: Objective) {
  return own === undefined ? {} : { [own.key]: shapesOf(own.initial(noNumbers)) };
}

/** What a training graph is besides its sizes. */
export interface TrainingGraphOptions {
  /** Whether rows hold several sessions: then `fresh` int32 [B, T] is an input, 1 where one begins. */
  readonly packed?: boolean | undefined;
}

/**
 * Inputs: tokens, targets int32 [B, T], what the objectives declare, every parameter by its path, and of a model with penalties
 * `inUse` float32 [B, T], 1 where a token belongs to an example.
 * Outputs: `loss` of the first objective, of further ones under their own names, what they record, and penalties under theirs; `hits` [B, T], 1
 * where the most probable word is the target; `gradient.PATH`, of the weighted sum of all, for each path that `trains` takes.
 * `losses` and `records` are the names of the scalars among them that are worth writing down.
 */
export function trainingGraph(
  model: Model,
  batch: number,
  length: number,
  asked: readonly WeightedObjective[] = revealsAlone,
  trains: (path: string) => boolean = () => true,
  { packed = false }: TrainingGraphOptions = {},
) {
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [batch, length], "int32"));
  const shapes = parameterShapes(model);
  const parameters = graph.parameters(shapes);
  const tapped = new Map<string, Tensor>();
  const penalties: { readonly name: string; readonly weight: number; readonly value: Tensor }[] = [];
  let inUse: Tensor | undefined;
  const logits = applyModel(model, parameters, tokens, {
    taps: (name, value) => tapped.set(name, value),
    ...(packed && { fresh: graph.input("fresh", [batch, length], "int32") }),
    penalties: {
      inUse: () => {
        inUse ??= graph.input("inUse", [batch, length]);
        return inUse;
      },
      add: (name, weight, value) => penalties.push({ name, weight, value }),
    },
  });
  const outputs: Record<string, Tensor> = {};
  const written = { losses: [] as string[], records: [] as string[] };
  const trained = { ...shapes };
  const losses = asked.map(({ objective, staged, weight }, i) => {
    const own = ownShapes(objective);
    Object.assign(trained, own);
    const { loss, records = {} } = staged.loss({
      ...{ graph, tokens, targets, logits, parameters },
      tap: (name) => tapped.get(name)!, // an objective knows what its model hands out
      own: objective.own ? graph.parameters(own)[objective.own.key] : {},
    });
    const name = i === 0 ? "loss" : objective.lossName;
    written.losses.push(name);
    written.records.push(...Object.keys(records));
    Object.assign(outputs, { [name]: loss }, records);
    return weight === 1 ? loss : scale(loss, weight);
  });
  for (const { name, weight, value } of penalties) {
    outputs[name] = value;
    written.records.push(name);
    losses.push(scale(value, weight));
  }
  outputs.hits = correct(logits, targets);
  const paths = flattenParameters(trained)
    .map(([path]) => path)
    .filter(trains);
  const inputs = paths.map((path) => graph.inputs.find(({ name }) => name === path)!); // each was declared above
  const gradients = grad(
    losses.reduce((sum, loss) => add(sum, loss)),
    inputs,
  );
  for (const [i, path] of paths.entries()) outputs[gradientName(path)] = gradients[i];
  return { graph, outputs, ...written, penalised: penalties.length > 0 };
}
