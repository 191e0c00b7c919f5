/** @file The sizes that most experiments have at each scale; an experiment spreads one and says what is its own. */

export const SMOKE = {
  model: { layers: 1, width: 16, feedForward: 32 },
  heads: 2,
  train: { steps: 10, batch: 8, warmupSteps: 5 },
  memory: 40,
  programs: 30,
  device: "cpu",
} as const;

export const LAPTOP = {
  model: { layers: 2, width: 64, feedForward: 128 },
  heads: 2,
  memory: 100,
  device: "cpu",
} as const;

/** A rate that is held, then falls: how most trainings at laptop scale end. */
export const HELD_THEN_FALLING = { schedule: "wsd", decaySteps: 300, finalShare: 0.05 } as const;

/** Model and optimizer of O (arXiv:2604.03444, appendix C); other papers' sizes are not known to us. */
export const PAPER = {
  model: { layers: 4, width: 256, feedForward: 1024 },
  heads: 4,
  train: { steps: 20_000, batch: 32, warmupSteps: 250 },
  memory: 400,
  programs: 1000,
  device: "cuda",
} as const;
