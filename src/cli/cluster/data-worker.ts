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
  summary: "make the examples of a training that reads them from a stream",
  usage: "cluster data-worker RUN [--executor NAME --data-workers N]",
  opensRuns: true,
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    "data-workers": flag.integer("N", "with --executor: so many processes", { default: 1, least: 1 }),
    ...engineOptions,
  },
  examples: [
    "cluster data-worker runs/reward",
    "cluster data-worker runs/reward --executor local --data-workers 2",
    "cluster data-worker runs/reward --executor slurm --data-workers 8 --max-workers 8",
  ],
  notes:
    "RUN is a training with data.async, begun by statelab train: it waits for what is made here. Any number of these may work for one\n" +
    "run, on any machines that see its folder; each batch is made once, at most data.async.prefetch of what is read, by weights at most\n" +
    "data.async.maxStaleness steps old. It ends when the training needs no more. Ctrl-C ends it at once: what was half made is made anew.",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const stand = await standOf("cluster data-worker", values, { folder, unit: "workers", say, signal });
    const { "data-workers": feeders } = values;
    if (stand !== undefined) {
      await configOf(folder); // refused here where there is no run
      const states = await feedOn(folder, { ...stand, feeders }).finally(() => stand.close());
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
      else print(`${folder}: ${integer(made)} batches made here${finished ? "; it needs no more" : ""}`);
      if (!finished) say("statelab: stopped; the same command goes on");
      return finished ? 0 : 1;
    } finally {
      progress.close();
    }
  },
});
