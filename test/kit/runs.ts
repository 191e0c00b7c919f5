/** @file Small runs as the lab leaves them in a folder, trained where they are asked for, in tenths of a second. */

import { join } from "node:path";
import { parse } from "yaml";
import { executeRun } from "../../src/app/run/execute.ts";
import { trainRun } from "../../src/app/run/train.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";

/** Of two stages, saved after every sixth of twelve steps, asked two tests. */
export const deltanet = `task: { name: repl, variables: 3, commands: 6, spacing: 2 }
model: { name: deltanet, layers: 1, width: 8, heads: 2, feedForward: 8, betaMax: 2 }
train: { steps: 12, batch: 4, learningRate: 0.005, warmupSteps: 2 }
curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]], threshold: 0.1 }
evaluate: { examples: 12, settings: [{}, { commands: 8, spacing: 4 }] }
checkpointEvery: 6
`;

/** With heads that read the state, which are no part of the model. */
export const supervised = `task: { name: parity-program, length: 8 }
model: { name: transformer, layers: 2, width: 8, heads: 2, feedForward: 8 }
train: { steps: 12, batch: 4, learningRate: 0.005, warmupSteps: 2, stopWhenSolved: { every: 4, examples: 4 } }
curriculum: { stages: [[{}]] }
stateSupervision: { head: linear }
evaluate: { examples: 12, settings: [{}] }
checkpointEvery: 6
`;

/** A run that stopped after six of its twelve steps. */
export async function stoppedRun(folder: string, config = deltanet): Promise<void> {
  await trainRun(folder, RunConfig.parse(parse(config)), {
    signal: new AbortController().signal,
    until: 6,
  });
}

/** `betaMax=1/seed-0` to `betaMax=2/seed-1`, trained to their end and asked. */
export async function sweptRuns(folder: string): Promise<void> {
  const config = RunConfig.parse(parse(deltanet));
  for (const betaMax of [1, 2])
    for (const seed of [0, 1])
      await executeRun(
        {
          folder: join(folder, `betaMax=${betaMax}`, `seed-${seed}`),
          config: { ...config, seed, model: { ...config.model, betaMax } },
          overwrite: false,
        },
        () => {},
        new AbortController().signal,
      );
}
