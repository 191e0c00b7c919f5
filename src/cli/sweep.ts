/** @file statelab sweep: a configuration with several settings and seeds, side by side. */

import { availableParallelism } from "node:os";
import { mostRuns, planSweep, type SweepRun } from "../app/sweep/plan.ts";
import { runSweep } from "../app/sweep/run.ts";
import { exitCodes, fail } from "../core/error.ts";
import { keyNamed, keyPaths } from "../core/settings.ts";
import { textTable } from "../report/text-table.ts";
import { stalledWords } from "../schemas/curriculum-status.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { defineCommand, integerFlag, setOption } from "./command.ts";
import { engineOptions, standOf } from "./executor-flags.ts";
import { progressOn } from "./progress.ts";
import { showing } from "./run-progress.ts";
import { planTable, sweepTable } from "./sweep-table.ts";

export const command = defineCommand({
  name: "sweep",
  summary: "train a configuration with several settings and seeds, side by side",
  usage: "sweep CONFIG.yaml [--over KEY=V1,V2 ...] [--seeds N] [--search SPACE.yaml] --out DIR",
  locks: true,
  positionals: { least: 1, most: 1 },
  options: {
    over: {
      type: "string",
      multiple: true,
      value: "KEY=V1,V2",
      description: "vary one setting, e.g. --over model.betaMax=1,2; repeated, every combination is run",
    },
    set: { ...setOption, keyNamed: (flag) => keyNamed(flag, keyPaths(RunConfig)) },
    search: {
      type: "string",
      value: "SPACE.yaml",
      description: "instead of --over: draw settings from a space, and choose the best (docs/sweeps.md)",
    },
    trials: { type: "string", value: "N", default: "27", description: "search: how many are drawn" },
    method: {
      type: "string",
      value: "METHOD",
      default: "halving",
      description: "search: halving (the best third goes on for longer), or random (all for the whole time)",
    },
    seeds: { type: "string", value: "N", default: "1", description: "repeat each setting with N seeds" },
    seed: { type: "string", value: "S", description: "the first seed, in place of the file's" },
    jobs: { type: "string", value: "N", default: "2", description: "runs at the same time, one thread each" },
    out: { type: "string", value: "DIR", description: "where the runs' folders are made" },
    overwrite: { type: "boolean", description: "replace runs that are there" },
    feeders: {
      type: "string",
      value: "N",
      default: "0",
      description: "with --on and teach.stream: so many processes make the examples of each run",
    },
    ...engineOptions,
    "dry-run": { type: "boolean", description: "print what would run, and write nothing" },
  },
  examples: [
    "sweep examples/deltanet.yaml --over model.betaMax=1,2 --seeds 3 --out runs/beta",
    "sweep examples/deltanet.yaml --over train.learningRate=0.0005,0.001 --over train.batch=8,16 --out runs/rates --dry-run",
    "sweep examples/deltanet.yaml --over 'model={name: lstm},{name: gru}' --out runs/gates --jobs 4",
    "sweep examples/deltanet.yaml --seeds 8 --on local --at-most 4 --out runs/seeds",
    "sweep examples/deltanet.yaml --seeds 40 --on slurm --at-most 20 --time 2:00:00 --out runs/seeds --detach",
    "sweep examples/reward.yaml --set teach.stream.staleness=1 --seeds 3 --on slurm --feeders 2 --at-most 9 --out runs/fed",
    "sweep examples/lstm.yaml --search examples/search.yaml --trials 18 --out runs/search-lstm",
  ],
  notes:
    "Writes DIR/SETTING/seed-S, a run's folder for each, and DIR/sweep.json. The same command goes on where it was:\n" +
    "finished runs are left, failed ones tried again. Compare settings by: statelab compare DIR/SETTING DIR/SETTING",

  async run({ positionals: [file], values, json, print, say, signal }) {
    if (values.out === undefined) fail("sweep", "--out DIR", "nothing");
    const folder = values.out;
    const jobs = integerFlag("--jobs", values.jobs, 1);
    const { overwrite } = values;
    const seeds = integerFlag("--seeds", values.seeds, 1, mostRuns);
    const stand = standOf("sweep", values, { folder, unit: "runs", say, signal });
    if (values.search !== undefined) {
      if (stand !== undefined) fail("sweep", "either --on or --search", "both");
      if (seeds > 1) fail("sweep", "either --seeds or --search", "both", "A search trains with one seed");
      const { search } = await import("./sweep-search.ts");
      return search({ file, folder, jobs, space: values.search, values, json, print, say, signal });
    }
    const request = {
      file,
      settings: values.set,
      over: values.over,
      seeds,
      ...(values.seed !== undefined && { firstSeed: integerFlag("--seed", values.seed, 0) }),
      folder,
      overwrite,
      say,
    };
    if (stand !== undefined && !values["dry-run"]) {
      const { sweepOnEngine } = await import("./sweep-on.ts");
      return sweepOnEngine(request, stand, integerFlag("--feeders", values.feeders, 0), { json, print, say });
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
      say("statelab: interrupted; everything is saved. Go on by the same command");
      return 1;
    }
    print(json ? JSON.stringify(record) : textTable(sweepTable(record)));
    return failed.length > 0 ? code : exitCodes.ok;
  },
});
