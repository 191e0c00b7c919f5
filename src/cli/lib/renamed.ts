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
