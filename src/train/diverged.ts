/** @file A training that diverged: a loss, a gradient or a weight that is not finite. What was saved before it is whole. */

import { LabError } from "../core/error.ts";

/** Of its own kind, so that whoever goes on from a checkpoint can tell one that is spoilt from a mistake. */
export class Diverged extends LabError {
  override name = "Diverged";
}

/** `what` is not finite after so many steps. */
export function diverged(step: number, what: string, value: number): never {
  throw new Diverged(
    `train, step ${step}: expected a finite ${what}, got ${value}${Number.isFinite(value) ? ", whose square is none" : ""}. The training diverged, and nothing was saved since the ` +
      "last good checkpoint: go on from there with a lower rate or norm, by statelab resume RUN --set train.learningRate=R, or train.clip=N",
    "diverged",
  );
}

/** Norms sum the squares of what weights make: beyond this a square is no float32, and a norm makes 0 of what overflowed. */
const largestWeight = Math.sqrt(3.4028234663852886e38);

/** The first weight with which nothing can be computed; undefined where all are usable. */
export function unusable(weights: Float32Array): number | undefined {
  return weights.find((weight) => !(Math.abs(weight) < largestWeight));
}
