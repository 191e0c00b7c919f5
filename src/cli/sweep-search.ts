/** @file statelab sweep --search: settings drawn from a space, the best of them for longer, and the best one as a file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { planSearch } from "../app/search/plan.ts";
import { runSearch } from "../app/search/search.ts";
import { mostRuns } from "../app/sweep/plan.ts";
import { exitCodes, fail } from "../core/error.ts";
import { duration } from "../core/format.ts";
import { parseWith, parseYaml } from "../core/settings.ts";
import { shellWord } from "../core/shell-word.ts";
import { noneLearned } from "../report/search-trials.ts";
import { textTable } from "../report/text-table.ts";
import { type SearchRecord, SearchSpace } from "../schemas/search-space.ts";
import { searchFiles } from "../storage/index.ts";
import { choiceFlag, integerFlag } from "./command.ts";
import { searchProgress } from "./search-progress.ts";
import { planTable, trialsTable } from "./search-table.ts";

interface SearchFlags {
  readonly file: string;
  readonly folder: string;
  readonly jobs: number;
  readonly space: string;
  readonly values: {
    readonly set: readonly string[];
    readonly trials: string;
    readonly method: string;
    readonly seed: string | undefined;
    readonly "dry-run": boolean;
    readonly over: readonly string[];
  };
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export async function search({
  file,
  folder,
  jobs,
  values,
  json,
  print,
  say,
  signal,
  ...flags
}: SearchFlags) {
  if (values.over.length > 0) fail("sweep", "either --over or --search", "both");
  const request = {
    ...{ file, folder, settings: values.set },
    space: readSpace(flags.space),
    trials: integerFlag("--trials", values.trials, 1, mostRuns),
    method: choiceFlag("--method", values.method, ["halving", "random"]),
    seed: values.seed === undefined ? 0 : integerFlag("--seed", values.seed, 0),
  };
  const planned = await planSearch(request, signal);
  if (values["dry-run"]) {
    print(
      json
        ? JSON.stringify({ trials: planned.map(({ trial, drawn }) => ({ trial, drawn })) })
        : textTable(planTable(planned)),
    );
    return 0;
  }
  const set = values.set.map((each) => ` --set ${shellWord(each)}`).join("");
  const command = `statelab sweep ${shellWord(file)}${set} --search ${shellWord(String(flags.space))} --trials ${request.trials} --method ${request.method} --seed ${request.seed} --out ${shellWord(folder)}`;
  const progress = searchProgress();
  let code: number = exitCodes.finishedWithFailures;
  const record = await runSearch(request, planned, {
    ...{ jobs, command, signal },
    ...progress,
    onEnd(trial, how, words, mistake) {
      if (mistake === "unwritable") code = exitCodes.unwritable;
      progress.onEnd(trial, how, words, mistake);
    },
  }).finally(() => progress.close());
  if (signal.aborted) {
    say("statelab: interrupted; everything is saved. Go on by the same command");
    return 1;
  }
  if (json) print(JSON.stringify(record));
  else {
    print(textTable(trialsTable(record)));
    print("");
    print(ended(record, folder));
  }
  return record.trials.some(({ failure }) => failure !== undefined) ? code : exitCodes.ok;
}

function readSpace(path: string): SearchSpace {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return fail("--search", "a readable YAML file", path, "A sample is examples/search.yaml");
  }
  return parseWith(SearchSpace, parseYaml(text, path), path);
}

function ended(record: SearchRecord, folder: string): string {
  const { chosen, trials, programs, seconds } = record;
  const unlearned = noneLearned(record);
  const spent = `${trials.length} trials, ${programs} programs, ${duration(seconds)} of one core: ${join(folder, searchFiles.report)}.`;
  if (chosen === null) return `${spent} No trial came to the last rung.`;
  return `${spent} ${unlearned === undefined ? "" : `${unlearned} `}The best is marked *: ${join(folder, searchFiles.chosen)}. Try it on other seeds: statelab sweep ${shellWord(join(folder, searchFiles.chosen))} --seed 0 --seeds 5 --out DIR`;
}
