/** @file What the files are called that the lab writes into its folders, by what they hold. */

/** Of a run. docs/runs.md says what is in each. */
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
  /** What a run of an experiment that keeps its runs came to. */
  answered: "answered.json",
  /** A folder, where `analyse` writes. */
  analysis: "analysis",
  /** A folder: examples that other processes make ahead of the training. */
  stream: "stream",
  /** The page of `statelab report`. */
  report: "report.html",
  /** There while a process writes. */
  lock: "run.lock",
} as const;

/** Of an experiment, around the folders of its runs. */
export const experimentFiles = {
  result: "result.json",
  /** What it said when it was finished the last time, once it has begun anew. */
  before: "result.before.json",
  report: "report.html",
  /** A folder. */
  figures: "figures",
  lock: "experiment.lock",
} as const;

/** Of a search, around the folders of its trials. */
export const searchFiles = {
  record: "search.json",
  chosen: "chosen.yaml",
  /** Of an experiment's search: what it was called with. */
  config: "config.yaml",
  space: "space.yaml",
  report: "search.html",
  /** A folder. */
  figures: "figures",
  lock: "search.lock",
} as const;

/** Of a sweep, around the folders of its runs. */
export const sweepFiles = { record: "sweep.json", lock: "sweep.lock" } as const;
