/** @file The error of a diverged training: a loss, gradient or weight that is not finite. Earlier checkpoints are intact. */

import { LabError } from "../core/error.ts";

/** A separate class, so that resume can distinguish a non-finite checkpoint from a user error. */
export class Diverged extends LabError {
  override name = "Diverged";
}

/** `what` is not finite at this step. */
export function diverged(step: number, what: string, value: number): never {
  throw new Diverged(
    `train, step ${step}: expected a finite ${what}, got ${value}${Number.isFinite(value) ? ", too large to square" : ""}. Training diverged; the last good checkpoint is kept. ` +
      "Continue with a lower learning rate or norm: statelab train --resume RUN --set train.learningRate=R, or train.maxGradNorm=N",
    "diverged",
  );
}

/** Norms square their input: beyond this the square overflows float32, and the norm divides by infinity. */
const largestWeight = Math.sqrt(3.4028234663852886e38);

/** The first unusable weight; undefined if there is none. */
export function unusable(weights: Float32Array): number | undefined {
  return weights.find((weight) => !(Math.abs(weight) < largestWeight));
}
