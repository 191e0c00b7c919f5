/** @file statelab reproduce: run an experiment, print its table, write its report. */

import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { experimentNamed, experiments } from "../../experiments/index.ts";
import { results as resultTexts } from "../../experiments/results.ts";
import { budgets, type Experiment, type Given, scales } from "../../experiments/runner/define.ts";
import { gatherEvidence } from "../../experiments/runner/evidence.ts";
import { reproduce } from "../../experiments/runner/run.ts";
import { mostRuns } from "../app/sweep/plan.ts";
import { fail } from "../core/error.ts";
import { duration, formatCount, formatList } from "../core/format.ts";
import { silent } from "../core/progress.ts";
import { measurementTables, type Report } from "../report/index.ts";
import { noneLearned } from "../report/search.ts";
import { percent } from "../report/shares.ts";
import { textTable } from "../report/text-table.ts";
import type { ExperimentResult } from "../schemas/experiment-result.ts";
import { defineCommand, type Invocation } from "./lib/command.ts";
import { engineOptions, standOf } from "./lib/executor.ts";
import { deviceOption, type Flag, type Flags, flag, group, naturalSeedOption, rare } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";
import { searchProgress, showing } from "./lib/training.ts";

/** Flags of single experiments. */
const ownOptions = Object.values(experiments).flatMap(({ name, options = {} }) =>
  Object.entries(options).map(([own, { value, description }]) => ({ name, own, value, description })),
);
const owners = (own: string) => ownOptions.flatMap((each) => (each.own === own ? [each.name] : []));
const ownFlags: Flags = Object.fromEntries(
  ownOptions.map(({ own, value, description }) => [
    own,
    flag.text(value, `${owners(own).join(", ")}: ${description}`),
  ]),
);

/** The experiments' own options that were given. @throws LabError if an experiment in `wanted` does not have one of them */
function givenOptions(wanted: readonly Experiment[], values: Readonly<Record<string, unknown>>): Given {
  return Object.fromEntries(
    Object.keys(ownFlags).flatMap((own): [string, string][] => {
      const value = values[own];
      if (typeof value !== "string") return [];
      const foreign = wanted.find(({ options = {} }) => !Object.hasOwn(options, own));
      if (foreign !== undefined)
        fail(
          `reproduce ${foreign.name}`,
          "one of its options",
          `--${own}`,
          `It is an option of ${formatList(owners(own))}`,
        );
      return [[own, value]];
    }),
  );
}

export const command = defineCommand({
  name: "reproduce",
  summary: "run a published experiment, such as headline",
  usage: "reproduce EXPERIMENT|all [OPTIONS]",
  locks: true,
  positionals: { least: 0, most: 1 },
  options: {
    ...group("Size", {
      scale: flag.choice("SCALE", "smoke (seconds), laptop, or paper (published sizes)", scales, {
        default: "laptop",
      }),
      budget: flag.choice("BUDGET", "full, or quick: a part of the headline in 3 minutes", budgets, {
        default: "full",
      }),
      seeds: flag.integer("N", "number of seeds, from --seed on", {
        default: 1,
        least: 1,
        most: mostRuns,
      }),
      seed: naturalSeedOption,
    }),
    ...group("Run", {
      workers: flag.integer("N", "parallel trainings, one thread each", { default: 2, least: 1 }),
      device: deviceOption("as the scale says"),
      out: flag.text("DIR", "parent of the experiment's folder", { default: "runs" }),
    }),
    ...(rare(group("Options of single experiments", ownFlags)) as Readonly<Record<never, Flag>>), // read by givenOptions alone
    ...rare(
      group("Hyperparameter search", {
        search: flag.toggle("search a training configuration for each model instead"),
        trials: flag.integer("N", "number of samples", { default: 18, least: 1, most: mostRuns }),
        method: flag.choice(
          "METHOD",
          "halving (only the best third continues) or random",
          ["halving", "random"],
          { default: "halving" },
        ),
      }),
    ),
    ...engineOptions,
    ...rare(
      group("For developers of Statelab", {
        evidence: flag.toggle("run nothing; write the published results from the runs in DIR"),
        docs: flag.text("DIR", "folder of the documentation, beside evidence/", { default: "docs" }),
      }),
    ),
  },
  examples: [
    "reproduce headline --budget quick",
    "reproduce repl-extrapolation --seeds 3",
    "reproduce all --scale smoke",
  ],
  notes:
    "Without a name it lists the experiments. Writes DIR/EXPERIMENT/{report.html, result.json, figures/} and one run folder per model and seed.\n" +
    "Run the same command again to continue an interrupted experiment. A finished one starts again, or continues when --seeds is larger.\n" +
    "Exit code 1: a run failed.\n" +
    "More: docs/how-to/reproduce.md",

  async run({ positionals: [name], values, json, print, say, signal }) {
    if (values.evidence) {
      const { wrote, read, entries } = await gatherEvidence(
        Object.values(experiments),
        {
          runs: values.out,
          docs: values.docs,
          evidence: join(values.docs, "..", "evidence"),
        },
        resultTexts,
      );
      if (json) print(JSON.stringify({ wrote, read, entries }));
      else
        print(
          `Wrote ${formatList(wrote)}: ${formatCount(entries.length, "result")}; ${read.length} in ${values.out} were read.`,
        );
      return 0;
    }
    if (name === undefined) {
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
    const { scale } = values;
    const wanted =
      name === "all"
        ? Object.values(experiments).filter(({ byNameOnly }) => scale === "smoke" || !byNameOnly)
        : [experimentNamed(name)];
    const options = givenOptions(wanted, values);
    const { seed: first, workers: jobs, budget, device, trials, method } = values;
    const seeds = Array.from({ length: values.seeds }, (_, i) => first + i);
    if (values.search) {
      const asked = { trials, method, seed: first, jobs, folder: values.out, json, print, say, signal };
      return searchRecipes(wanted[0], asked);
    }
    const stand = await standOf("reproduce", values, { folder: name, unit: "parts", say, signal });
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
          say("statelab: interrupted and saved. Run the same command again to continue");
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

interface SearchOrder extends Pick<Invocation, "json" | "print" | "say" | "signal"> {
  readonly trials: number;
  readonly method: "random" | "halving";
  readonly seed: number;
  readonly jobs: number;
  readonly folder: string;
}

async function searchRecipes({ name, searches }: Experiment, asked: SearchOrder): Promise<number> {
  if (searches === undefined) {
    const some = Object.values(experiments).flatMap((each) => (each.searches ? [each.name] : []));
    return fail("--search", `an experiment with searched training configurations: ${formatList(some)}`, name);
  }
  const { searchModels } = await import("../../experiments/runner/search.ts");
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
    say("statelab: interrupted and saved. Run the same command again to continue");
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
    print(`Wrote ${wrote}. Copy it beside the experiment's file to train with it.`);
  }
  const failed = Object.values(records).some((record) =>
    record.trials.some(({ failure }) => failure !== undefined),
  );
  return failed ? 1 : 0;
}

export function inWords(
  { table, legend }: Pick<Report, "table" | "legend">,
  result: ExperimentResult,
): string {
  return [
    "",
    textTable(table),
    "",
    ...legend,
    "",
    ...measuredInWords(result),
    ...result.findings.map((finding) => `  ! ${finding}`),
    `${duration(result.seconds)}. Open ${relative(process.cwd(), result.report)} in a browser.`,
  ].join("\n");
}

/** Measurements of whole models; those at many places are on the page only. */
function measuredInWords(result: ExperimentResult): string[] {
  if (result.results.length === 0) return []; // then they are the table above
  const measurements = result.measurements.filter(({ at }) => Object.keys(at).length === 0);
  return measurementTables({ ...result, measurements }).flatMap(({ label, table }) => [
    `${label}; with several seeds their mean (lowest\u2013highest)`,
    "",
    textTable(table),
    "",
  ]);
}
