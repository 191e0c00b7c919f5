/**
 * @file The graph of one training step without the update: losses, hits and the gradient of every parameter. And the graph of the log
 * probabilities of a model, without a loss.
 */

import { noNumbers } from "../core/rng.ts";
import { applyModel, type Model, parameterShapes, stateShapes } from "../models/index.ts";
import { extendModel } from "../models/prefill.ts";
import {
  add,
  type Compiled,
  compile,
  correct,
  flattenParameters,
  full,
  Graph,
  grad,
  logSoftmax,
  type Runtime,
  scale,
  shapesOf,
  type Tensor,
} from "../tensor/index.ts";
import type { Feeds } from "../tensor/session.ts";
import type { Objective, WeightedObjective } from "./objectives/objective.ts";
import { revealsAlone } from "./objectives/revealed-values.ts";

/** The output name of the gradient of a parameter. */
export function gradientName(path: string): string {
  return `gradient.${path}`;
}

/** The shapes of the parameters of an objective, under its key. */
function ownShapes({ own }: Objective) {
  return own === undefined ? {} : { [own.key]: shapesOf(own.initial(noNumbers)) };
}

interface TrainingGraphOptions {
  /** Whether rows have several sessions: then `fresh` int32 [B, T] is an input, 1 where one begins. */
  readonly packed?: boolean | undefined;
  /**
   * Shorter rows than `length`: the graph is of a piece of so many tokens (truncated.ts). Then `position` int32 [B] and `state.NAME`
   * are inputs, and `next.state.NAME` outputs.
   */
  readonly pieceLength?: number;
}

/**
 * Inputs: tokens and targets int32 [B, T], the inputs of the objectives, every parameter by its path, and for a model with penalties
 * `inUse` float32 [B, T], 1 if a token belongs to an example.
 * Outputs: `loss` of the first objective, the losses and records of the others and the penalties by their names; `hits` [B, T], 1 if
 * the most probable word is the target; `gradient.PATH` of the weighted sum of all, for each path that `trains` accepts.
 * `losses` and `records` are the names of the scalars for the log.
 */
export function trainingGraph(
  model: Model,
  batch: number,
  rowLength: number,
  asked: readonly WeightedObjective[] = revealsAlone,
  trains: (path: string) => boolean = () => true,
  { packed = false, pieceLength = rowLength }: TrainingGraphOptions = {},
) {
  const length = Math.min(pieceLength, rowLength);
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [batch, length], "int32"));
  const shapes = parameterShapes(model);
  const parameters = graph.parameters(shapes);
  const tapped = new Map<string, Tensor>();
  const penalties: { readonly name: string; readonly weight: number; readonly value: Tensor }[] = [];
  let inUse: Tensor | undefined;
  const attachments = {
    taps: (name: string, value: Tensor) => tapped.set(name, value),
    ...(packed && { fresh: graph.input("fresh", [batch, length], "int32") }),
    penalties: {
      inUse: () => {
        inUse ??= graph.input("inUse", [batch, length]);
        return inUse;
      },
      add: (name: string, weight: number, value: Tensor) => penalties.push({ name, weight, value }),
    },
  };
  const outputs: Record<string, Tensor> = {};
  let logits: Tensor;
  if (length === rowLength) logits = applyModel(model, parameters, tokens, attachments);
  else {
    const states = Object.fromEntries(
      Object.entries(stateShapes(model, rowLength)).map(([name, shape]) => [
        name,
        graph.input(`state.${name}`, [batch, ...shape]),
      ]),
    );
    const position = graph.input("position", [batch], "int32");
    const places = { position, unseen: full(graph, [batch, 1, 1, 1], 0), bound: rowLength, trains: true };
    const after = extendModel(model, parameters, tokens, states, places);
    logits = after.logits;
    for (const [name, state] of Object.entries(after.states)) outputs[`next.state.${name}`] = state;
  }
  const written = { losses: [] as string[], records: [] as string[] };
  const trained = { ...shapes };
  const losses = asked.map(({ objective, staged, weight }, i) => {
    const own = ownShapes(objective);
    Object.assign(trained, own);
    const { loss, records = {} } = staged.loss({
      ...{ graph, tokens, targets, logits, parameters },
      tap: (name) => tapped.get(name)!, // an objective uses only taps of its model
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
  const inputs = paths.map((path) => graph.inputs.find(({ name }) => name === path)!); // all are declared above
  const gradients = grad(
    losses.reduce((sum, loss) => add(sum, loss)),
    inputs,
  );
  for (const [i, path] of paths.entries()) outputs[gradientName(path)] = gradients[i];
  return { graph, outputs, ...written, penalised: penalties.length > 0 };
}

/** Log probabilities of a model; one graph is kept for each size. */
export interface LogProbModel {
  /** tokens int32 [B, T] -> [B, T, V], with weights by path. */
  logProbabilities(rows: number, tokens: Int32Array, weights: Feeds): Promise<Float32Array>;
  release(): Promise<void>;
}

export function openLogProbs(model: Model, runtime: Runtime): LogProbModel {
  const known = new Map<string, Compiled<"said">>();
  return {
    async logProbabilities(rows, tokens, weights) {
      const length = tokens.length / rows;
      const size = `${rows} x ${length}`;
      let run = known.get(size);
      if (run === undefined) {
        const graph = new Graph();
        const given = graph.input("tokens", [rows, length], "int32");
        const logits = applyModel(model, graph.parameters(parameterShapes(model)), given);
        run = await compile(graph, { said: logSoftmax(logits) }, runtime);
        known.set(size, run);
      }
      const own = Object.fromEntries(run.inputs.map(({ name }) => [name, weights[name]]));
      return (await run.run({ ...own, tokens })).said as Float32Array; // by its graph
    },
    async release() {
      for (const run of known.values()) await run.release();
      known.clear();
    },
  };
}
