/** @file A search that is killed again and again, and the one that was not. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rng } from "../../src/core/rng.ts";
import type { SearchRecord } from "../../src/schemas/search-space.ts";
import { startStatelab, statelab, words } from "../kit/cli.ts";

const config = `
task: { name: repl, variables: 3, commands: 6, spacing: 2 }
model: { name: deltanet, layers: 1, width: 8, heads: 2, feedForward: 8, betaMax: 2 }
train: { steps: 12, batch: 4, learningRate: 0.005, warmupSteps: 2 }
evaluate: { examples: 12, settings: [{}, { commands: 8, spacing: 4 }] }
checkpointEvery: 4
`;
const space = `
programs: 648
rungs: 3
keep: 3
space:
  train.learningRate: { from: 0.0005, to: 0.05, scale: log }
  train.batch: [4, 8]
  curriculum.stages:
    full first: [[{ spacing: 1, reveal: full }], [{ spacing: 2 }]]
    partial: [[{ spacing: 2 }]]
`;

const call = (out: string, ...more: string[]) =>
  [...words("sweep config.yaml --search space.yaml --trials 9 --out"), out, ...more] as const;

export function prepareSearch(root: string): void {
  writeFileSync(join(root, "config.yaml"), config);
  writeFileSync(join(root, "space.yaml"), space);
}

/** To its end, and what is the same whenever it is done: all but the time it took. */
export async function searched(root: string, out: string, ...more: string[]) {
  const { code, stdout, stderr } = await statelab(root, ...call(out, ...more, "--json"));
  if (code !== 0) throw new Error(stderr);
  const { seconds: _, trials, ...record }: SearchRecord = JSON.parse(stdout);
  return {
    ...record,
    trials: trials.map(({ folder: _folder, scores, ...trial }) => ({
      ...trial,
      scores: scores.map(({ seconds: _seconds, ...score }) => score),
    })),
  };
}

/** Starts it and kills the whole process group after a while, `times` times. */
export async function killedSearch(root: string, out: string, times: number, rng: Rng): Promise<void> {
  for (let i = 0; i < times; i++) {
    const { process: child, ended } = startStatelab(root, ...call(out));
    const patience = 400 + rng.below(2500);
    const timer = setTimeout(() => child.kill("SIGKILL"), patience);
    await ended;
    clearTimeout(timer);
  }
}
