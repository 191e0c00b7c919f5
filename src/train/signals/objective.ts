/**
 * @file A signal as an objective: before each step it weighs the batch, and the graph adds up -w log p(target).
 *
 * What it draws is a function of the run's seed and the step, so a resumed run draws the same.
 */

import { rngFrom } from "../../core/rng.ts";
import { add, reshape, scale, slice, type Tensor, weightedLogLoss } from "../../tensor/index.ts";
import type { LossInputs, Objective, ObjectiveSetting, Sheet } from "../objectives/objective.ts";
import type { ChosenSignal } from "./index.ts";
import type { Weighed } from "./signal.ts";

const TARGETS = "signal.targets";
const WEIGHTS = "signal.weights";
const recordInput = (name: string) => `signal.${name}`;

/** undefined where `train.loss` says what is asked of words. */
export function signalObjective(
  { config, prepared, tokenizer }: Pick<ObjectiveSetting, "config" | "prepared" | "tokenizer">,
  chosen: ChosenSignal | undefined,
): Objective | undefined {
  const weighing = chosen?.signal.weighing;
  if (chosen === undefined || weighing === undefined) return undefined;
  const { signal, params } = chosen;
  const layers = weighing.layers(params);
  const names = weighing.records ?? [];
  const weigher = () => {
    const made = weighing.weigh(params, { prepared, tokenizer, config });
    return typeof made === "function" ? { weigh: made } : made;
  };
  weigher(); // what does not fit is refused now
  const draws = rngFrom(config.seed).fork("signal");

  function loss({ graph, logits, targets: { shape } }: LossInputs) {
    const targets = graph.input(TARGETS, [layers, ...shape], "int32");
    const weights = graph.input(WEIGHTS, [layers, ...shape]);
    const layer = (x: Tensor, k: number) => reshape(slice(x, 0, k, k + 1), shape);
    let sum = weightedLogLoss(logits, layer(targets, 0), layer(weights, 0));
    for (let k = 1; k < layers; k++)
      sum = add(sum, weightedLogLoss(logits, layer(targets, k), layer(weights, k)));
    const records = names.map((name) => [name, scale(graph.input(recordInput(name), []), 1)] as const);
    return { loss: sum, records: Object.fromEntries(records) };
  }

  function sheet(): Sheet {
    const { weigh, ...reading } = weigher();
    let weighed: Weighed | undefined;
    return {
      ...reading,
      async prepare(batch, asking) {
        weighed = asking.weighed ?? (await weigh(batch, { ...asking, rng: draws.fork(asking.step) }));
      },
      weighed: () => weighed!, // a sheet is prepared before it is asked
      feeds(batch) {
        const size = batch.rows * batch.length;
        const [targets, weights] = [new Int32Array(layers * size), new Float32Array(layers * size)];
        const { records = {}, ...of } = weighed!; // a sheet is prepared before it feeds
        for (let k = 0; k < layers; k++) {
          targets.set(of.targets[k], k * size);
          weights.set(of.weights[k], k * size);
        }
        const told = names.map((name) => [recordInput(name), Float32Array.of(records[name])]);
        return { [TARGETS]: targets, [WEIGHTS]: weights, ...Object.fromEntries(told) };
      },
    };
  }

  return { name: `signal ${signal.name}`, lossName: "signalLoss", inStage: () => ({ loss, sheet }) };
}
