/** @file statelab reproduce NAME --search: the best recipe of each model, of one space for all, as a file for the experiment. */

import { experiments } from "../../experiments/index.ts";
import type { Experiment } from "../../experiments/runner/define.ts";
import { searchModels } from "../../experiments/runner/search.ts";
import { fail } from "../core/error.ts";
import { duration, listed } from "../core/format.ts";
import { noneLearned } from "../report/search-trials.ts";
import { percent } from "../report/shares.ts";
import { textTable } from "../report/text-table.ts";
import { searchProgress } from "./search-progress.ts";

interface Asked {
  readonly trials: number;
  readonly method: "random" | "halving";
  readonly seed: number;
  readonly jobs: number;
  readonly folder: string;
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export async function searchRecipes({ name, searches }: Experiment, asked: Asked): Promise<number> {
  if (searches === undefined) {
    const some = Object.values(experiments).flatMap((each) => (each.searches ? [each.name] : []));
    return fail("--search", `an experiment whose models have recipes: ${listed(some)}`, name);
  }
  const { trials, method, seed, jobs, folder, json, print, say, signal } = asked;
  const progress = searchProgress();
  const command = [
    `statelab reproduce ${name} --search --trials ${trials} --method ${method}`,
    ...(seed === 0 ? [] : [`--seed ${seed}`]),
  ].join(" ");
  const { wrote, recipes, records } = await searchModels(searches, {
    ...{ experiment: name, folder, trials, method, seed, jobs, command, signal },
    ...progress,
    onModel: (model) => progress.say(model),
  }).finally(() => progress.close());
  if (signal.aborted) {
    say("statelab: interrupted; everything is saved. Go on by the same command");
    return 1;
  }
  if (json) print(JSON.stringify({ wrote, recipes, records }));
  else {
    const rows = Object.entries(recipes).flatMap(([model, { found, train }]) =>
      found === undefined
        ? []
        : [
            [
              model,
              found.trial,
              train.steps * train.batch,
              percent(found.score),
              found.searched.programs,
              duration(found.searched.seconds),
            ],
          ],
    );
    const columns = ["model", "trial", "programs", "score", "searched: programs", "core time"];
    print(textTable({ columns, rows }));
    print("");
    for (const [model, record] of Object.entries(records)) {
      const unlearned = noneLearned(record);
      if (unlearned !== undefined) print(`${model}: ${unlearned}`);
    }
    print(`Wrote ${wrote}. Put beside the experiment's file, it is what the experiment trains by.`);
  }
  const failed = Object.values(records).some((record) =>
    record.trials.some(({ failure }) => failure !== undefined),
  );
  return failed ? 1 : 0;
}
