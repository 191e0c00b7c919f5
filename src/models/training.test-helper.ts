/** @file Training of small models for the conformance suite: gradients against slopes of the reference, and memorization. */

import { expect } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { compile } from "../tensor/index.ts";
import { gradientName, trainingGraph } from "../train/graph.ts";
import { adamw } from "../train/optimizers/adamw.ts";
import { flatten } from "../train/optimizers/optimizer.ts";
import { filled, parameterData, randomTokens, runtime, small } from "./conformance.test-helper.ts";
import { initialParameters, type Model, type ModelName, type ModelParameters, READOUT } from "./index.ts";
import { logitsNaive, type Remember, type Rows, type Weights, weightsOf } from "./naive.ts";
import { subjectOf } from "./subjects.test-helper.ts";

/** Logits [T][V] of one sequence, in plain numbers. */
export function naive(
  model: Model,
  weights: Weights,
  tokens: readonly number[],
  remember?: Remember,
): number[][] {
  const layers = model.mixers.map((each) => subjectOf(each, model.width));
  const offered = new Map<string, Rows>();
  return logitsNaive(
    tokens,
    weights,
    model.layers,
    (x, own, layer) => layers[layer].twin(x, own, offered, remember),
    (layer) => layers[layer].gate,
    model.normPosition === "after",
  );
}

/** With one layer, which has all parameters, unless layers are of several kinds or exchange values. */
export function shortest(name: ModelName, config: object): Model {
  const model = small(name, config);
  const several = name === "hybrid" || model.mixers[0].mixer.offers?.some((each) => each !== READOUT);
  return several ? model : small(name, { ...config, layers: 1 });
}

export interface Slope {
  readonly path: string;
  readonly gradient: number;
  readonly slope: number;
  /** Of the gradient along this direction, what float32 may lose. */
  readonly scale: number;
}

/**
 * dL/dp from the training graph (float32), and (L(p + h u) - L(p - h u)) / 2h of the naive twin (float64), along one direction u of every
 * parameter p: the signs of dL/dp, so that a wrong scale adds up, each once or twice by chance, so that no wrong element cancels another.
 */
export async function gradientsAndSlopes(model: Model, tree: ModelParameters): Promise<Slope[]> {
  const [batch, length, step] = [2, 7, 1e-5];
  const rng = rngFrom(12);
  const tokens = randomTokens(rng, batch, length);
  const targets = randomTokens(rng, batch, length);
  const weights = tokens.map((row) => row.map(() => rng.below(3))); // 0 somewhere, and unequal
  const { graph, outputs } = trainingGraph(model, batch, length);
  const compiled = await compile(graph, outputs, runtime);
  const results = await compiled.run({
    ...parameterData(tree),
    tokens: Int32Array.from(tokens.flat()),
    targets: Int32Array.from(targets.flat()),
    weights: Float32Array.from(weights.flat()),
  });
  await compiled.release();

  const numbers = weightsOf(tree);
  // Choices as they are at these weights, in the order in which they are asked for.
  const choices: number[][][] = [];
  let asked = 0;
  const remember: Remember = (make) => {
    choices[asked] ??= make();
    return choices[asked++];
  };
  const loss = () => {
    asked = 0;
    let [total, count] = [0, 0];
    for (const [b, row] of tokens.entries()) {
      for (const [t, logits] of naive(model, numbers, row, remember).entries()) {
        const logTotal = Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0));
        total += weights[b][t] * (logTotal - logits[targets[b][t]]);
        count += weights[b][t];
      }
    }
    return total / count;
  };
  expect(Math.abs(Number(results.loss[0]) - loss())).toBeLessThan(1e-5);

  return Object.entries(numbers).map(([path, rows]): Slope => {
    const gradient = Array.from(results[gradientName(path)] as Float32Array);
    const width = rows[0].length;
    const largest = gradient.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    const own = rng.fork(path);
    const direction = gradient.map((each) => (1 + own.below(2)) * Math.sign(each || own.below(2) - 0.5));
    const slopeAlong = () => {
      const original = rows.map((row) => [...row]);
      const move = (by: number) => {
        for (const [i, row] of rows.entries())
          for (const j of row.keys()) row[j] = original[i][j] + by * direction[i * width + j];
      };
      move(step);
      const ahead = loss();
      move(-step);
      const slope = (ahead - loss()) / (2 * step);
      move(0);
      return slope;
    };
    const along = gradient.reduce((total, each, i) => total + each * direction[i], 0);
    return { path, gradient: along, slope: slopeAlong(), scale: largest * Math.hypot(...direction) };
  });
}

export function disagreements(checked: readonly Slope[]): Slope[] {
  return checked.filter(({ gradient, slope, scale }) => !(Math.abs(gradient - slope) < 1e-3 * scale + 1e-6));
}

/**
 * Trains on eight sequences with different first tokens, so that everything after them can be known, for so many steps or
 * until the loss is below `enough`; the losses.
 */
export async function fit(model: Model, steps: number, enough: number): Promise<number[]> {
  const [batch, length] = [8, 6];
  const rng = rngFrom(13);
  const sequences = randomTokens(rng, batch, length + 1).map((row, i) => row.with(0, i));
  const tree = initialParameters(model, rng.fork("parameters"));
  const { graph, outputs } = trainingGraph(model, batch, length);
  const compiled = await compile(graph, outputs, runtime);
  const data = {
    tokens: Int32Array.from(sequences.flatMap((row) => row.slice(0, -1))),
    targets: Int32Array.from(sequences.flatMap((row) => row.slice(1))),
    weights: filled([batch, length], 1),
  };
  const flat = flatten(tree);
  const parameters = flat.views(flat.values);
  const gradient = new Float32Array(flat.values.length);
  const gradients = Object.entries(flat.views(gradient)).map(([path, view]) => [gradientName(path), view]);
  const config = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
  const optimizer = adamw(flat, config);
  const losses: number[] = [];
  while (losses.length < steps && !((losses.at(-1) ?? enough) < enough)) {
    const { loss } = await compiled.run({ ...parameters, ...data }, Object.fromEntries(gradients));
    losses.push(Number(loss[0]));
    optimizer.update(gradient, 0.02, losses.length);
  }
  await compiled.release();
  return losses;
}
