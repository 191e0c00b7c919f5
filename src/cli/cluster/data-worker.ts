/** @file statelab cluster data-worker: make the examples of a training that reads them from a stream. */

import { feedOn, feedRun } from "../../app/data-worker/run.ts";
import { configOf } from "../../app/run/config.ts";
import { integer } from "../../core/format.ts";
import { isEnded, listFailures } from "../../executors/supervise.ts";
import { defineCommand } from "../lib/command.ts";
import { engineOptions, standOf } from "../lib/executor.ts";
import { flag } from "../lib/flags.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "cluster data-worker",
  summary: "produce training data for a running training",
  usage: "cluster data-worker RUN [OPTIONS]",
  opensRuns: true,
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    "data-workers": flag.integer("N", "number of processes; needs --executor", { default: 1, least: 1 }),
    ...engineOptions,
  },
  examples: [
    "cluster data-worker runs/reward",
    "cluster data-worker runs/reward --executor local --data-workers 2",
    "cluster data-worker runs/reward --executor slurm --data-workers 8 --max-workers 8",
  ],
  notes:
    "RUN is a training with data.async that statelab train has started. Several data workers may serve one run, on any machine that sees its folder. They stop when the training needs no more data.\n" +
    "More: docs/how-to/cluster.md",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const stand = await standOf("cluster data-worker", values, { folder, unit: "workers", say, signal });
    const { "data-workers": dataWorkers } = values;
    if (stand !== undefined) {
      await configOf(folder); // refused here where there is no run
      const states = await feedOn(folder, { ...stand, dataWorkers }).finally(() => stand.close());
      if (!states.every(isEnded)) return stand.unfinished(json, print);
      for (const words of new Set(listFailures(states))) say(`statelab: a worker failed: ${words}`);
      if (json)
        print(JSON.stringify({ run: folder, workers: states.length, failed: listFailures(states).length }));
      return listFailures(states).length === 0 ? 0 : 1;
    }
    const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
    let steps = 1;
    try {
      const { made, finished } = await feedRun(folder, {
        signal,
        onStart: ({ config }) => {
          steps = config.train.steps;
        },
        onBlock: ({ block, weights }) =>
          progress.update(folder, {
            ...{ step: block, steps },
            note: weights === null ? "examples" : `examples, with the weights of step ${weights}`,
          }),
      });
      progress.close();
      if (json) print(JSON.stringify({ run: folder, made, finished }));
      else
        print(
          `${folder}: ${integer(made)} batches produced here${finished ? "; the training is complete" : ""}`,
        );
      if (!finished) say("statelab: stopped. Run the same command again to continue");
      return finished ? 0 : 1;
    } finally {
      progress.close();
    }
  },
});
