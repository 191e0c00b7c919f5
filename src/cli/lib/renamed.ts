/** @file Spellings of earlier versions, for "Did you mean": a user's notes and scripts may still have them. */

/** Commands, each with what to write in its place. */
export const renamedCommands: Readonly<Record<string, string>> = {
  ask: "llm eval",
  score: "llm score",
  analyse: "analyze",
  feed: "cluster data-worker",
  jobs: "cluster status",
  worker: "cluster worker",
  simulate: "cluster simulate",
  resume: "train --resume",
  bench: "npm run bench",
};

/** Flags that are commands now. */
export const renamedCalls: Readonly<Record<string, string>> = {
  "cluster status --cancel": "cluster cancel DIR",
  "llm eval --replay": "llm replay",
  "reproduce --list": "list experiments",
};

/** Flags, each with what it may be now: the first that the command has is named. */
export const renamedFlags: Readonly<Record<string, readonly string[]>> = {
  again: ["rerun"],
  against: ["compare-with"],
  "as-edited": ["use-current-code"],
  "at-most": ["max-workers"],
  "back-off": ["retry-delay"],
  calls: ["max-tool-calls"],
  choose: ["query-policy"],
  columns: ["fields", "tasks"],
  concurrency: ["max-requests"],
  context: ["context-length"],
  each: ["max-per-program"],
  endpoint: ["answers"],
  feeders: ["data-workers"],
  figure: ["plot"],
  host: ["python"],
  idle: ["exit-when-idle"],
  jobs: ["workers"],
  "key-env": ["api-key-env"],
  least: ["min-score"],
  missing: ["truncated"],
  "no-prompt-check": ["skip-token-count-check"],
  objects: ["object-store"],
  on: ["executor"],
  over: ["grid"],
  pack: ["tasks-per-job"],
  print: ["print-plan"],
  publish: ["sync-every"],
  reveals: ["save-predictions", "num-reveals"],
  rule: ["marginal-update"],
  seconds: ["cell-timeout", "timeout"],
  share: ["shard-size"],
  shots: ["few-shot"],
  show: ["metric"],
  slots: ["workers", "max-requests"],
  steps: ["max-steps"],
  "take-over": ["force-unlock"],
  "trust-run": ["trust-code"],
  wait: ["timeout"],
};
