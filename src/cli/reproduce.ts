/** @file statelab reproduce: run an experiment, print its table, write its report. */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { experimentNamed, experiments } from "../../experiments/index.ts";
import { budgets, type Experiment, type Given, type Scale, scales } from "../../experiments/runner/define.ts";
import { gatherEvidence } from "../../experiments/runner/evidence.ts";
import { reproduce } from "../../experiments/runner/run.ts";
import { mostRuns } from "../app/sweep/plan.ts";
import { fail } from "../core/error.ts";
import { counted, listed } from "../core/format.ts";
import { silent } from "../core/progress-reporter.ts";
import { textTable } from "../report/text-table.ts";
import type { ExperimentResult } from "../schemas/experiment-result.ts";
import { choiceFlag, defineCommand, integerFlag, type Option, seedOption } from "./command.ts";
import { engineOptions, standOf } from "./executor-flags.ts";
import { progressOn } from "./progress.ts";
import { inWords } from "./reproduce-words.ts";
import { showing } from "./run-progress.ts";

/** What single experiments understand besides, by the flag's name. */
const ownOptions = Object.values(experiments).flatMap(({ name, options = {} }) =>
  Object.entries(options).map(([flag, { value, description }]) => ({ name, flag, value, description })),
);
const owners = (flag: string) => ownOptions.flatMap((each) => (each.flag === flag ? [each.name] : []));
const ownFlags: Readonly<Record<string, Option>> = Object.fromEntries(
  ownOptions.map(({ flag, value, description }) => [
    flag,
    { type: "string", value, description: `${owners(flag).join(", ")}: ${description}` },
  ]),
);

/** Of the experiments' own options those that were given, where all that is wanted understands them. */
function givenOptions(wanted: readonly Experiment[], values: Readonly<Record<string, unknown>>): Given {
  return Object.fromEntries(
    Object.keys(ownFlags).flatMap((flag): [string, string][] => {
      const value = values[flag];
      if (typeof value !== "string") return [];
      const foreign = wanted.find(({ options = {} }) => !Object.hasOwn(options, flag));
      if (foreign !== undefined)
        fail(
          `reproduce ${foreign.name}`,
          "a flag that it has",
          `--${flag}`,
          `It is one of ${listed(owners(flag))}`,
        );
      return [[flag, value]];
    }),
  );
}

export const command = defineCommand({
  name: "reproduce",
  summary: "run an experiment of the lab and write its report",
  usage: "reproduce EXPERIMENT|all [--scale smoke|laptop|paper] [--seeds N]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    scale: {
      type: "string",
      value: "SCALE",
      default: "laptop",
      description: "smoke: seconds; laptop: minutes; paper: the published sizes",
    },
    seeds: {
      type: "string",
      value: "N",
      default: "1",
      description: "repeat with N seeds: --seed, and the ones after it",
    },
    seed: seedOption,
    jobs: {
      type: "string",
      value: "N",
      default: "2",
      description: "trainings at the same time, one thread each",
    },
    budget: {
      type: "string",
      value: "BUDGET",
      default: "quick",
      description: "full: each model is trained for as long as its curve still rises",
    },
    search: {
      type: "boolean",
      description: "run nothing; search for the best recipe of each model, of one space for all",
    },
    trials: { type: "string", value: "N", default: "18", description: "search: how many are drawn" },
    method: {
      type: "string",
      value: "METHOD",
      default: "halving",
      description: "search: halving (the best third goes on for longer), or random",
    },
    ...(ownFlags as Readonly<Record<never, Option>>), // read by givenOptions alone
    device: {
      type: "string",
      value: "DEVICE",
      description: "cpu, cuda or webgpu; default as the scale says",
    },
    out: {
      type: "string",
      value: "DIR",
      default: "runs",
      description: "where the experiment's folder is made",
    },
    ...engineOptions,
    list: { type: "boolean", description: "list the experiments" },
    evidence: {
      type: "boolean",
      description: "run nothing; gather what DIR holds, and write what is published beside ours",
    },
    docs: {
      type: "string",
      value: "DIR",
      default: "docs",
      description: "where evidence.md is, beside the folder evidence/ that it is made from",
    },
  },
  examples: [
    "reproduce headline",
    "reproduce repl-positions --seeds 3",
    "reproduce all --scale smoke",
    "reproduce headline --scale smoke --json",
    "reproduce headline --budget full",
    "reproduce headline --search --trials 18",
    "reproduce zoo --only deltanet,gru --columns parity,s3-swaps --seeds 5",
    "reproduce zoo --only mine --model ./mine.ts --seeds 5",
    "reproduce headline --seeds 5 --on slurm --at-most 20 --time 2:00:00 --detach",
    "reproduce --evidence",
  ],
  notes:
    "Writes DIR/EXPERIMENT/{report.html, result.json, figures/} and a run's folder for each model and seed.\n" +
    "Interrupted, or after a run failed, it goes on where it was when it is called again; finished, it begins anew,\nor, with more --seeds, goes on with those; the result of before is its result.before.json (all: it is passed over).",

  async run({ positionals: [name], values, json, print, say, signal }) {
    if (values.evidence) {
      const { wrote, read, entries } = await gatherEvidence(Object.values(experiments), {
        runs: values.out,
        docs: values.docs,
        evidence: join(values.docs, "..", "evidence"),
      });
      if (json) print(JSON.stringify({ wrote, read, entries }));
      else
        print(
          `Wrote ${listed(wrote)}: ${counted(entries.length, "result")}; ${read.length} in ${values.out} were read.`,
        );
      return 0;
    }
    if (values.list || name === undefined) {
      const all = Object.values(experiments).map(({ name: id, question }) => ({ name: id, question }));
      if (json) print(JSON.stringify(all, null, 2));
      else
        print(
          textTable({
            columns: ["experiment", "question"],
            rows: all.map((each) => [each.name, each.question]),
          }),
        );
      return 0;
    }
    const scale: Scale = choiceFlag("--scale", values.scale, scales);
    const wanted =
      name === "all"
        ? Object.values(experiments).filter(({ byNameOnly }) => scale === "smoke" || !byNameOnly)
        : [experimentNamed(name)];
    const options = givenOptions(wanted, values);
    const first = integerFlag("--seed", values.seed, 0);
    const seeds = Array.from(
      { length: integerFlag("--seeds", values.seeds, 1, mostRuns) },
      (_, i) => first + i,
    );
    const jobs = integerFlag("--jobs", values.jobs, 1);
    const budget = choiceFlag("--budget", values.budget, budgets);
    if (values.search) {
      const { searchRecipes } = await import("./reproduce-search.ts");
      const trials = integerFlag("--trials", values.trials, 1, mostRuns);
      const method = choiceFlag("--method", values.method, ["halving", "random"]);
      const [experiment] = wanted;
      const asked = { trials, method, seed: first, jobs, folder: values.out, json, print, say, signal };
      return searchRecipes(experiment, asked);
    }
    const device =
      values.device === undefined
        ? undefined
        : choiceFlag("--device", values.device, ["cpu", "cuda", "webgpu"]);
    const stand = standOf("reproduce", values, { folder: name, unit: "parts", say, signal });
    if (stand?.detach && wanted.length > 1) fail("reproduce", "one experiment with --detach", name);
    const results: ExperimentResult[] = [];
    let failed = false;
    let progress = silent;
    const reproduced = reproduce(wanted, {
      ...{ scale, budget, options, seeds, jobs, device, standing: stand, signal },
      folder: values.out,
      passOver: name === "all",
      onBegin: (experiment, before) => {
        progress = progressOn(process.stderr, { plainEverySeconds: 30 });
        if (name === "all") say(`statelab: ${experiment.name}${before ? ", finished before" : ""}`);
        return showing(progress, Math.min(jobs, availableParallelism()));
      },
    });
    try {
      for await (const { experiment, ran } of reproduced) {
        progress.close();
        if (ran.interrupted) {
          stand?.close();
          if (stand !== undefined) return stand.unfinished(json, print);
          say("statelab: interrupted; everything is saved. Go on by the same command");
          return 1;
        }
        for (const failure of ran.failures) say(`statelab: a run failed: ${failure}`);
        failed ||= ran.failures.length > 0 || ran.result === undefined;
        if (ran.result === undefined) continue;
        results.push(ran.result);
        if (!json) print(inWords(experiment.report(ran.result), ran.result));
      }
    } finally {
      progress.close();
      stand?.close();
    }
    if (json) print(JSON.stringify(name === "all" ? results : results[0]));
    return failed ? 1 : 0;
  },
});
