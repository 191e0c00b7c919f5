/** @file statelab cluster simulate: how long a plan would take on clusters where things go wrong, by the code that would carry it out. */

import { basename } from "node:path";
import { stringify } from "yaml";
import { fail } from "../../core/error.ts";
import { duration, integer, percentSign } from "../../core/format.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import { mean } from "../../core/statistics.ts";
import { loadPackage } from "../../executors/index.ts";
import { studyFigure } from "../../report/figure-files.ts";
import { textTable } from "../../report/text-table.ts";
import {
  type ClusterResult,
  type PlanResult,
  SimulationPlan,
  type StudiedSetting,
} from "../../schemas/simulation-plan.ts";
import { writeFileAtomic } from "../../storage/index.ts";
import { defineCommand } from "../lib/command.ts";
import { flag, group, seedOption, setOption } from "../lib/flags.ts";
import { progressOn } from "../lib/progress.ts";

/** The metrics of a study. */
const quantities = {
  makespan: { words: "makespan, in hours", of: ({ makespanSeconds }: PlanResult) => makespanSeconds / 3600 },
  used: {
    words: "share of slot time that became work, in percent",
    of: ({ used }: PlanResult) => 100 * used,
  },
  lost: { words: "work lost, in hours", of: ({ lostSeconds }: PlanResult) => lostSeconds / 3600 },
  attempts: { words: "attempts a run", of: ({ attempts, runs }: PlanResult) => attempts / runs },
} as const satisfies Record<string, { words: string; of: (result: PlanResult) => number }>;
type Quantity = keyof typeof quantities;

export const command = defineCommand({
  name: "cluster simulate",
  summary: "predict run times on clusters with failures",
  usage: "cluster simulate PLAN.yaml|DIR [OPTIONS]",
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Plan", {
      grid: flag.texts("KEY=V1,V2", "values of one setting; repeat for combinations"),
      set: { ...setOption, description: "change a setting, e.g. runs=50; may be repeated" },
      seeds: flag.integer("N", "simulations per setting", { default: 1, least: 1 }),
      seed: seedOption,
      "print-plan": flag.toggle("print the plan and stop"),
    }),
    ...group("Figure", {
      plot: flag.text("FILE.svg", "draw the metric along the first --grid"),
      metric: flag.choice(
        "METRIC",
        Object.keys(quantities).join(", "),
        Object.keys(quantities) as Quantity[],
        { default: "makespan" },
      ),
    }),
  },
  examples: [
    "cluster simulate examples/plan.yaml",
    "cluster simulate examples/plan.yaml --seeds 5 --grid run.checkpointSeconds=60,300,1200",
    "cluster simulate runs/pilot --print-plan > plan.yaml",
  ],
  notes:
    "DIR is the --out of a sweep with --executor: its measured times become the plan. With several seeds it prints the mean (min to max). Runs no task, and writes only FILE.svg.\n" +
    "More: docs/how-to/cluster.md",

  async run({ positionals: [file], values, json, print, say, signal }) {
    const { plot: figure, grid: over, set: settings, seeds, metric: show } = values;
    if (figure !== undefined && !figure.endsWith(".svg")) fail("--plot", "a file that ends in .svg", figure);
    if (figure !== undefined && over.length === 0)
      fail("--plot", "--grid KEY=V1,V2 with numbers, for the x axis", "nothing");
    const { studyPlan, writtenPlan } = await loadPackage("cluster-simulator");
    if (values["print-plan"]) {
      const plan = applySettings(writtenPlan(file), settings);
      parseWith(SimulationPlan, plan, file);
      print(json ? JSON.stringify(plan) : stringify(plan).trimEnd());
      return 0;
    }
    const request = { file, settings, over, seeds, firstSeed: values.seed };
    const progress = progressOn(process.stderr);
    let studied: readonly StudiedSetting[];
    try {
      studied = await studyPlan(request, (step, steps) => progress.update(file, { step, steps }), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      say("statelab: stopped; nothing was written");
      return 1;
    } finally {
      progress.close();
    }
    if (figure !== undefined) {
      const { words, of } = quantities[show];
      const points = studied.map(({ changes, results }) => ({
        changes,
        values: results.map((result) => ({ seed: result.seed, value: of(result) })),
      }));
      await writeFileAtomic(figure, studyFigure({ title: words, yLabel: basename(file), points }));
    }
    if (json) {
      print(JSON.stringify({ settings: studied }));
      return 0;
    }
    const columns = ["makespan", "used", "lost", "attempts", "failed"];
    const rows = studied.map(({ name, results }) => [name || "as planned", ...cellsOf(results)]);
    print(textTable({ columns: ["setting", ...columns], rows }));
    const [first] = studied[0].results;
    if (studied.length === 1) {
      print("");
      print(textTable(clusterTable(first.clusters)));
    }
    return 0;
  },
});

function cellsOf(results: readonly PlanResult[]): string[] {
  const shown = (of: (result: PlanResult) => number, words: (value: number) => string) => {
    const each = results.map(of);
    const range = `${words(Math.min(...each))} to ${words(Math.max(...each))}`;
    return Math.min(...each) === Math.max(...each) ? words(each[0]) : `${words(mean(each))} (${range})`;
  };
  return [
    shown(({ makespanSeconds }) => makespanSeconds, duration),
    shown(({ used }) => used, percentSign),
    shown(({ lostSeconds }) => lostSeconds, duration),
    shown(({ attempts }) => attempts, integer),
    shown(({ failed }) => failed, integer),
  ];
}

/** Use of the slots' time, for one seed. */
function clusterTable(clusters: readonly ClusterResult[]) {
  const of = (part: number, { slotSeconds }: ClusterResult) =>
    percentSign(part / Object.values(slotSeconds).reduce((sum, seconds) => sum + seconds, 0));
  const rows: [string, (cluster: ClusterResult) => string][] = [
    ["runs", ({ runs }) => integer(runs)],
    ["makespan", ({ makespanSeconds }) => duration(makespanSeconds)],
    ["seen after", ({ toldSeconds }) => duration(toldSeconds)],
    ["slots at once", ({ slots }) => integer(slots)],
    ["work", (cluster) => of(cluster.processSeconds.working, cluster)],
    ["checkpoints", (cluster) => of(cluster.processSeconds.saving, cluster)],
    ["tests", (cluster) => of(cluster.processSeconds.ending, cluster)],
    ["starts", (cluster) => of(cluster.processSeconds.starting, cluster)],
    ["lost work", (cluster) => of(cluster.processSeconds.lost, cluster)],
    ["between jobs", (cluster) => of(cluster.slotSeconds.turning, cluster)],
    ["others' jobs", (cluster) => of(cluster.slotSeconds.taken, cluster)],
    ["down", (cluster) => of(cluster.slotSeconds.down, cluster)],
    ["idle", (cluster) => of(Math.max(0, cluster.slotSeconds.idle), cluster)],
    ["superseded", ({ superseded }) => integer(superseded)],
    ["submissions", ({ submissions }) => integer(submissions)],
  ];
  return {
    columns: ["slot time", ...clusters.map(({ name }) => name)],
    rows: rows.map(([label, cell]) => [label, ...clusters.map(cell)]),
  };
}
