/** @file statelab sweep: a configuration with several settings and seeds, side by side. */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { PlannedTrial, SearchRequest } from "../app/search/plan.ts";
import { mostRuns, planSweep, type SweepRequest, type SweepRun } from "../app/sweep/plan.ts";
import { runSweep, type SweepRecord } from "../app/sweep/run.ts";
import { exitCodes, fail } from "../core/error.ts";
import { duration, integer, shellWord } from "../core/format.ts";
import { parseWith, parseYaml } from "../core/settings.ts";
import { drawnInWords, noneLearned, ranked } from "../report/search.ts";
import { estimate, percent, spaced } from "../report/shares.ts";
import { type Table, textTable } from "../report/text-table.ts";
import { stalledWords } from "../schemas/convergence.ts";
import { type SearchRecord, SearchSpace } from "../schemas/search-space.ts";
import { testName } from "../schemas/test-result.ts";
import { searchFiles } from "../storage/index.ts";
import { defineCommand, type Invocation } from "./lib/command.ts";
import { engineOptions, type Stand, standOf } from "./lib/executor.ts";
import { flag, group, rare } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";
import { configSetOption, logOption, searchProgress, showing } from "./lib/training.ts";

export const command = defineCommand({
  name: "sweep",
  summary: "train many settings and seeds, or search settings",
  usage: "sweep CONFIG.yaml --out DIR [OPTIONS]",
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    ...group("What to vary", {
      grid: flag.texts("KEY=V1,V2", "values of one setting; repeat for combinations"),
      set: { ...configSetOption, description: "change a setting in every run; may be repeated" },
      seeds: flag.integer("N", "seeds per setting", { default: 1, least: 1, most: mostRuns }),
      seed: flag.integer("S", "first seed [the file's]", { least: 0 }),
    }),
    ...group("Search instead", {
      search: flag.text("SPACE.yaml", "sample settings from a search space"),
      trials: flag.integer("N", "number of samples", { default: 27, least: 1, most: mostRuns }),
      method: flag.choice(
        "METHOD",
        "halving (only the best third continues) or random",
        ["halving", "random"],
        { default: "halving" },
      ),
    }),
    ...group("Run", {
      out: flag.text("DIR", "folder for all runs (required)"),
      workers: flag.integer("N", "parallel runs, one thread each", { default: 2, least: 1 }),
      "dry-run": flag.toggle("list the runs and stop"),
      overwrite: flag.toggle("replace existing runs"),
      log: logOption,
    }),
    ...rare(
      group("Cluster", {
        "data-workers": flag.integer("N", "data workers per run; needs --executor and data.async", {
          default: 0,
          least: 0,
        }),
      }),
    ),
    ...engineOptions,
  },
  examples: [
    "sweep examples/deltanet.yaml --grid model.betaMax=1,2 --seeds 3 --out runs/beta",
    "sweep examples/deltanet.yaml --grid 'model={name: lstm},{name: gru}' --out runs/gates",
    "sweep examples/lstm.yaml --search examples/search.yaml --out runs/search",
  ],
  notes:
    "Writes DIR/SETTING/seed-S, one run folder each, and DIR/sweep.json.\n" +
    "Run the same command again to continue: finished runs are kept, failed runs are retried. Compare settings with statelab compare DIR.\n" +
    "Exit code 1: a run failed.\n" +
    "More: docs/how-to/sweep.md",

  async run({ positionals: [file], values, json, print, say, signal }) {
    if (values.out === undefined) fail("sweep", "--out DIR", "nothing");
    const { out: folder, workers: jobs, overwrite, seeds, grid: over } = values;
    const stand = await standOf("sweep", values, { folder, unit: "runs", say, signal });
    if (values.search !== undefined) {
      if (stand !== undefined) fail("sweep", "either --executor or --search", "both");
      if (seeds > 1) fail("sweep", "either --seeds or --search", "both", "A search trains with one seed");
      if (over.length > 0) fail("sweep", "either --grid or --search", "both");
      const { set: settings, trials, method, seed = 0 } = values;
      const request = { file, folder, settings, space: readSpace(values.search), trials, method, seed };
      return search(request, values.search, values, { json, print, say, signal });
    }
    const request = {
      file,
      settings: values.set,
      over,
      seeds,
      ...(values.seed !== undefined && { firstSeed: values.seed }),
      folder,
      overwrite,
      say,
    };
    if (stand !== undefined && !values["dry-run"]) {
      return sweepOnEngine(request, stand, values, { json, print, say });
    }
    const runs = await planSweep(request, signal);
    if (values["dry-run"]) {
      const planned = runs.map(({ setting, seed, folder: at, config, done, known }) => ({
        folder: at,
        setting: setting.name,
        changes: setting.changes,
        seed,
        steps: config.train.steps,
        done,
        finished: known !== undefined,
      }));
      print(json ? JSON.stringify({ runs: planned }) : textTable(planTable(planned)));
      return 0;
    }
    const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
    const show = showing(progress, Math.min(jobs, availableParallelism()));
    const shown = ({ setting, config }: SweepRun) => ({ setting: "", model: setting.name, config });
    let code: number = exitCodes.finishedWithFailures;
    const record = await runSweep(runs, {
      folder,
      jobs,
      overwrite,
      log: values.log,
      signal,
      onStart: (run, all) => show.onStart(shown(run), all.map(shown)),
      onProgress: (run, event) => show.onProgress(shown(run), event),
      onEnd(run, how, words, mistake) {
        if (mistake === "unwritable") code = exitCodes.unwritable;
        show.onEnd(shown(run), how, words);
      },
    }).finally(() => progress.close());
    const failed = record.runs.filter((run) => run.state === "failed");
    for (const run of failed) say(`statelab: a run failed: ${run.folder}: ${run.failure}`);
    for (const run of record.runs) {
      if (run.state === "done" && run.stalled) say(`statelab: ${run.folder}: ${stalledWords(run.stalled)}`);
    }
    if (signal.aborted) {
      say("statelab: interrupted and saved. Run the same command again to continue");
      return 1;
    }
    print(json ? JSON.stringify(record) : textTable(sweepTable(record)));
    return failed.length > 0 ? code : exitCodes.ok;
  },
});

type Log = ReturnType<typeof logOption.read>;

/** Failed runs that are named; the others are counted. */
const mostNamed = 10;

async function sweepOnEngine(
  request: SweepRequest,
  stand: Stand,
  { "data-workers": dataWorkers, log }: { readonly "data-workers": number; readonly log: Log },
  { json, print, say }: Pick<Invocation, "json" | "print" | "say">,
): Promise<number> {
  if (request.overwrite) fail("sweep", "--executor without --overwrite", "both", "Delete DIR first");
  const runs = await planSweep(request);
  checkDataWorkers(runs, dataWorkers, stand.maxWorkers);
  const { sweepOn } = await import("../app/sweep/run.ts");
  const { result: record } = await sweepOn(request, runs, { ...stand, dataWorkers, log }).finally(() =>
    stand.close(),
  );
  if (record === undefined) return stand.unfinished(json, print);
  const failed = record.runs.filter((run) => run.state === "failed");
  for (const run of failed.slice(0, mostNamed)) say(`statelab: a run failed: ${run.folder}: ${run.failure}`);
  if (failed.length > mostNamed) say(`statelab: and ${failed.length - mostNamed} more; see sweep.json`);
  print(json ? JSON.stringify(record) : textTable(sweepTable(record)));
  return failed.length > 0 ? 1 : 0;
}

/** @throws LabError if a run would wait forever: without data workers, or with data workers that wait for its slot */
function checkDataWorkers(runs: readonly SweepRun[], dataWorkers: number, maxWorkers: number): void {
  const fed = runs.filter(({ config }) => config.data?.async !== undefined).length;
  if (dataWorkers === 0 && fed > 0) fail("sweep", "--data-workers N with data.async and --executor", "none");
  if (dataWorkers > 0 && fed < runs.length)
    fail("sweep --data-workers", "data.async in every run", `${runs.length - fed} without`);
  if (dataWorkers >= maxWorkers)
    fail(
      "--max-workers",
      `at least ${dataWorkers + 1}, a run and its data workers`,
      maxWorkers,
      "With fewer slots the run and its data workers deadlock",
    );
}

/** `space` is the file that `request.space` was read from. */
async function search(
  request: SearchRequest,
  space: string,
  {
    workers: jobs,
    "dry-run": dryRun,
    log,
  }: { readonly workers: number; readonly "dry-run": boolean; readonly log: Log },
  { json, print, say, signal }: Pick<Invocation, "json" | "print" | "say" | "signal">,
): Promise<number> {
  const [{ planSearch }, { runSearch }] = await Promise.all([
    import("../app/search/plan.ts"),
    import("../app/search/search.ts"),
  ]);
  const planned = await planSearch(request, signal);
  if (dryRun) {
    print(
      json
        ? JSON.stringify({ trials: planned.map(({ trial, drawn }) => ({ trial, drawn })) })
        : textTable(trialPlanTable(planned)),
    );
    return 0;
  }
  const set = request.settings.map((each) => ` --set ${shellWord(each)}`).join("");
  const command = `statelab sweep ${shellWord(request.file)}${set} --search ${shellWord(space)} --trials ${request.trials} --method ${request.method} --seed ${request.seed} --out ${shellWord(request.folder)}`;
  const progress = searchProgress();
  let code: number = exitCodes.finishedWithFailures;
  const record = await runSearch(request, planned, {
    ...{ jobs, command, log, signal },
    ...progress,
    onEnd(trial, how, words, mistake) {
      if (mistake === "unwritable") code = exitCodes.unwritable;
      progress.onEnd(trial, how, words, mistake);
    },
  }).finally(() => progress.close());
  if (signal.aborted) {
    say("statelab: interrupted and saved. Run the same command again to continue");
    return 1;
  }
  if (json) print(JSON.stringify(record));
  else {
    print(textTable(trialsTable(record)));
    print("");
    print(ended(record, request.folder));
  }
  return record.trials.some(({ failure }) => failure !== undefined) ? code : exitCodes.ok;
}

function readSpace(path: string): SearchSpace {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return fail("--search", "a readable YAML file", path, "See examples/search.yaml");
  }
  return parseWith(SearchSpace, parseYaml(text, path), path);
}

function ended(record: SearchRecord, folder: string): string {
  const { chosen, trials, programs, seconds } = record;
  const unlearned = noneLearned(record);
  const spent = `${trials.length} trials, ${programs} programs, ${duration(seconds)} of CPU time: ${join(folder, searchFiles.report)}.`;
  if (chosen === null) return `${spent} No trial reached the last rung.`;
  return `${spent} ${unlearned === undefined ? "" : `${unlearned} `}The best trial is marked *: ${join(folder, searchFiles.chosen)}. Test it with other seeds: statelab sweep ${shellWord(join(folder, searchFiles.chosen))} --seed 0 --seeds 5 --out DIR`;
}

interface PlannedRun {
  readonly folder: string;
  readonly steps: number;
  readonly done: number;
  readonly finished: boolean;
}

export function planTable(runs: readonly PlannedRun[]): Table {
  const states = runs.map(({ folder, steps, done, finished }) => [
    folder,
    integer(steps),
    finished ? "finished" : done > 0 ? `continues from step ${integer(done)}` : "new",
  ]);
  return { columns: ["run", "steps", "state"], rows: states };
}

export function sweepTable({ table }: SweepRecord): Table {
  const references = [...new Set(table.flatMap((row) => Object.keys(row.references)))];
  return {
    columns: ["setting", "test", "seeds", "all reveals", "last reveal", ...references.map(spaced)],
    rows: table.map((row) => [
      row.setting === "" ? "all" : row.setting,
      testName(row.change),
      row.seeds.length,
      ...[row.accuracy, row.accuracyLast].map((share) => (share === undefined ? "–" : estimate(share))),
      ...references.map((name) => percent(row.references[name] ?? Number.NaN)),
    ]),
  };
}

function trialPlanTable(planned: readonly PlannedTrial[]): Table {
  const keys = Object.keys(planned[0]?.drawn ?? {});
  return {
    columns: ["trial", ...keys, "steps"],
    rows: planned.map(({ trial, drawn, config }) => [
      trial,
      ...keys.map((key) => drawnInWords(drawn[key])),
      config.train.steps,
    ]),
  };
}

/** Sorted by rung reached, then by score. */
function trialsTable({ trials, chosen }: SearchRecord): Table {
  const keys = Object.keys(trials[0]?.drawn ?? {});
  return {
    columns: ["trial", ...keys, "programs", "stage", "seconds", "score"],
    rows: ranked(trials).map((trial) => {
      const at = trial.scores.at(-1);
      const name = `${trial.trial}${trial.trial === chosen ? " *" : ""}`;
      const drawn = keys.map((key) => drawnInWords(trial.drawn[key]));
      if (at === undefined) return [name, ...drawn, "", "", "", trial.failure === undefined ? "" : "failed"];
      return [name, ...drawn, at.programs, at.stage + 1, at.seconds.toFixed(0), percent(at.score)];
    }),
  };
}
