/** @file File names in the folders of runs, experiments, searches and sweeps. */

/** A run folder (docs/reference/file-formats.md). */
export const runFiles = {
  config: "config.json",
  origin: "origin.json",
  /** A folder: a user's own task and model, as they ran. */
  own: "own",
  metrics: "metrics.jsonl",
  checkpoints: "checkpoints",
  model: "model.onnx",
  step: "step.onnx",
  weights: "model.safetensors",
  tokenizer: "tokenizer.json",
  tokenizerConfig: "tokenizer_config.json",
  tested: "tested.jsonl",
  evaluation: "evaluation.json",
  /** A folder, with a file for each evaluation. */
  evaluations: "evaluations",
  /** A folder, with a file for each experiment that measured the model. */
  measured: "measured",
  /** The result of a run of an experiment that keeps its runs. */
  answered: "answered.json",
  /** A folder: output of `analyze`. */
  analysis: "analysis",
  /** A folder: batches that data workers produce ahead of the training. */
  stream: "stream",
  /** The page of `statelab report`. */
  report: "report.html",
  /** A folder: the event file of `train --log tensorboard`. */
  tensorboard: "tensorboard",
  /** Exists while a process writes. */
  lock: "run.lock",
} as const;

/** An experiment folder, with a folder for each run. */
export const experimentFiles = {
  result: "result.json",
  /** The previous result, while the experiment runs again. */
  before: "result.before.json",
  report: "report.html",
  /** A folder. */
  figures: "figures",
  /** Of the zoo: its cells, as in evidence/zoo/laptop-cells.json. */
  cells: "cells.json",
  lock: "experiment.lock",
} as const;

/** A search folder, with a folder for each trial. */
export const searchFiles = {
  record: "search.json",
  chosen: "chosen.yaml",
  /** The arguments of an experiment's search. */
  config: "config.yaml",
  space: "space.yaml",
  report: "search.html",
  /** A folder. */
  figures: "figures",
  lock: "search.lock",
} as const;

/**
 * The name of runs that differ in nothing but the seed: `betaMax=1` of betaMax=1/seed-0 and betaMax=1/seed-1, `lstm` of lstm-seed-3.
 */
export const runGroup = (name: string): string => name.replace(/[/\\-]?seed-\d+$/, "");

/** A sweep folder, with a folder for each run. */
export const sweepFiles = { record: "sweep.json", lock: "sweep.lock" } as const;
