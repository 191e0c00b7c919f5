/**
 * @file The loss of a signal that weighs: before each step it computes targets and weights of the batch, and the graph sums
 * -w log p(target).
 *
 * Its random draws are a function of the run's seed and the step, so a resumed run draws the same.
 */

import { rngFrom } from "../../core/rng.ts";
import { add, reshape, scale, slice, type Tensor, weightedLogLoss } from "../../tensor/index.ts";
import type { ChosenSignal, LossInputs, Objective, Sheet, Weighed, WeighSetting } from "./objective.ts";

const TARGETS = "signal.targets";
const WEIGHTS = "signal.weights";
const recordInput = (name: string) => `signal.${name}`;

/** undefined if the loss is that of `train.loss`. */
export function weighedObjective(
  { config, prepared, tokenizer }: WeighSetting,
  signal: ChosenSignal | undefined,
): Objective | undefined {
  const weighing = signal?.weighing;
  if (signal === undefined || weighing === undefined) return undefined;
  const { layers, records: names } = weighing;
  const weigher = () => {
    const made = weighing.weigh({ prepared, tokenizer, config });
    return typeof made === "function" ? { weigh: made } : made;
  };
  weigher(); // refuses a task that it does not fit
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
      weighed: () => weighed!, // set by `prepare`
      feeds(batch) {
        const size = batch.rows * batch.length;
        const [targets, weights] = [new Int32Array(layers * size), new Float32Array(layers * size)];
        const { records = {}, ...of } = weighed!; // set by `prepare`
        for (let k = 0; k < layers; k++) {
          targets.set(of.targets[k], k * size);
          weights.set(of.weights[k], k * size);
        }
        const recorded = names.map((name) => [recordInput(name), Float32Array.of(records[name])]);
        return { [TARGETS]: targets, [WEIGHTS]: weights, ...Object.fromEntries(recorded) };
      },
    };
  }

  return { name: `signal ${signal.name}`, lossName: "signalLoss", inStage: () => ({ loss, sheet }) };
}
