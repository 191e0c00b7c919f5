/** @file The sizes that the experiments on state supervision have at each scale; each spreads one and says what is its own. */

import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";

/**
 * What trials on a laptop's budget came to. Small batches: steps count for more than samples. The gradient jumps, hence
 * the long memory of its square; it calms down, and the last mistakes go, as the rate falls.
 */
export const SMALL_BATCHES = {
  batch: 16,
  learningRate: 1e-3,
  beta2: 0.99,
  warmupSteps: 50,
  schedule: "cosine",
  finalShare: 0.02,
} as const;

export const SMOKE = {
  model: { name: "transformer", layers: 2, width: 16, heads: 2 },
  supervision: { layer: 0 },
  train: { steps: 10, batch: 8, learningRate: 3e-3, warmupSteps: 5 },
  tested: 40,
  device: "cpu",
} as const;

export const LAPTOP = {
  model: { name: "transformer", layers: 4, width: 64, heads: 4 },
  // The hidden vector of a middle layer, so that later layers can use it.
  supervision: { layer: 2 },
  programs: 200,
  every: 100,
  tested: 2000,
  device: "cpu",
} as const;

const PAPER_BATCH = 256;

/** As published, after at most so many samples. */
export const paperOf = (samples: number) =>
  ({
    model: LLAMA_13M,
    train: { ...LLAMA_TRAIN, steps: samples / PAPER_BATCH, batch: PAPER_BATCH },
    programs: 1000,
    every: 64,
    tested: 10_000,
    device: "cuda",
  }) as const;
