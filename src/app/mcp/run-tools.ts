/** @file MCP tools over trained runs: a list, one of them, and paired comparisons. */

import { relative } from "node:path";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { brackets, percent } from "../../report/shares.ts";
import { checkFolder } from "../../storage/index.ts";
import { compareFolders } from "../compare/difference.ts";
import { compareEvals, isAsking } from "../llm/compare.ts";
import { getRun, listRuns, type RunDetails, type RunLine } from "../studio/runs.ts";
import { pathBelow } from "./programs.ts";
import { defineTool } from "./tool.ts";

const CURVE_POINTS = 40;

const folder = z.string().default(".").describe("a folder below the root folder");
const RunFields = {
  name: z.string().describe("path below the folder"),
  problem: z.string().optional().describe("why it cannot be read"),
  model: z.string().optional(),
  task: z.string().optional(),
  seed: z.number().optional(),
  steps: z.number().optional().describe("planned"),
  step: z.number().optional().describe("done"),
  loss: z.number().nullable().optional(),
  accuracy: z.number().nullable().optional().describe("running share of right answers in training"),
  stages: z.array(z.number()).optional().describe("stages of the curriculum: reached, planned"),
  trouble: z.array(z.string()).optional(),
  isTested: z.boolean().optional().describe("whether it can be compared"),
  state: z.enum(["running", "finished", "stopped"]).optional(),
};
const Measured = z.object({
  baseline: z.number(),
  contender: z.number(),
  difference: z.number(),
  interval: z.array(z.number()).optional().describe("95 % confidence interval of the difference"),
});
type Measured = z.infer<typeof Measured>;

export function runTools({ root }: { readonly root: string }) {
  return {
    list_runs: defineTool({
      title: "List trained runs",
      description:
        "Lists the run folders at most four levels below a folder, with model, task, progress and loss.",
      input: { folder },
      output: { runs: z.array(z.strictObject(RunFields)) },
      isList: true,
      async run(given) {
        const runs = await listRuns(pathBelow(root, given.folder, "folder"));
        return { structured: { runs }, text: "", list: { name: "runs", lines: runs.map(runText) } };
      },
    }),

    read_run: defineTool({
      title: "Read a trained run",
      description: "Returns a run's test results, its configuration, or its loss curve.",
      input: {
        folder,
        name: z.string().describe("a name of list_runs"),
        part: z.enum(["tests", "config", "loss"]).default("tests"),
      },
      output: {
        ...RunFields,
        items: z.array(
          z.strictObject({
            name: z.string().describe("a test, a configuration key, or a step"),
            value: z
              .unknown()
              .describe("accuracy, the key's value, or [least, greatest] loss from that step on"),
            programs: z.int().optional().describe("programs of the test"),
          }),
        ),
      },
      isList: true,
      async run({ folder: place, name, part }) {
        const run = await getRun(pathBelow(root, place, "folder"), name);
        if (run === undefined)
          throw new LabError(`name: there is no run ${JSON.stringify(name)}. list_runs lists them`);
        const { config: _, curves: __, stageStarts: ___, reports: ____, tests: _____, ...line } = run;
        const items = itemsOf(run, part);
        const lines = items.map(({ name: each, value }) => `${each}: ${JSON.stringify(value)}`);
        return { structured: { ...line, items }, text: runText(run), list: { name: "items", lines } };
      },
    }),

    compare_runs: defineTool({
      title: "Compare runs",
      description:
        "Compares runs with the first one, paired by seed, with 95 % confidence intervals. A folder whose runs differ only in the seed counts as one. Folders of statelab llm eval are compared program by program.",
      input: {
        folders: z
          .array(z.string())
          .min(1)
          .max(20)
          .describe("folders below the root folder; the first is the baseline"),
      },
      output: {
        comparisons: z.array(
          z.strictObject({
            test: z.string(),
            baseline: z.string(),
            contender: z.string(),
            seeds: z.array(z.number()).optional(),
            programs: z.number().optional(),
            accuracy: Measured,
            accuracyLast: Measured.optional().describe("of the last reveal"),
          }),
        ),
      },
      isList: true,
      async run({ folders }) {
        const places = folders.map((each) => pathBelow(root, each, "folder"));
        for (const place of places) checkFolder(place);
        const named = <T extends { readonly baseline: string; readonly contender: string }>(each: T) => ({
          baseline: relative(root, each.baseline) || each.baseline,
          contender: relative(root, each.contender) || each.contender,
        });
        const askings = places.filter(isAsking).length;
        if (askings > 0 && askings < places.length)
          throw new LabError(
            "folders: trained runs and LLM evaluations cannot be compared. Give folders of one kind",
          );
        const comparisons =
          askings > 0
            ? (await compareEvals(places)).map((each) => ({
                ...{ ...named(each), test: each.arm, programs: each.programs },
                accuracy: {
                  ...{ baseline: each.shares[0], contender: each.shares[1] },
                  ...{ difference: each.difference, interval: [...each.interval] },
                },
              }))
            : (await compareFolders(places)).comparisons.map((each) => ({
                ...{ ...named(each), test: each.test, seeds: each.seeds },
                ...{ accuracy: measured(each.accuracy), accuracyLast: measured(each.accuracyLast) },
              }));
        return {
          structured: { comparisons },
          text: "",
          list: { name: "comparisons", lines: comparisons.map(comparisonText) },
        };
      },
    }),
  };
}

function measured({
  uncertainty,
  ...means
}: Omit<Measured, "interval"> & {
  readonly uncertainty: { readonly kind: string; readonly interval?: readonly number[] };
}): Measured {
  return { ...means, ...(uncertainty.interval && { interval: [...uncertainty.interval] }) };
}

function comparisonText({
  test,
  baseline,
  contender,
  accuracy,
}: {
  test: string;
  baseline: string;
  contender: string;
  accuracy: Measured;
}) {
  const { difference, interval } = accuracy;
  const points = `${difference < 0 ? "" : "+"}${(100 * difference).toFixed(1)} points`;
  const between = interval === undefined ? "" : ` ${brackets([interval[0], interval[1]])}`;
  return `${test}: ${contender} ${percent(accuracy.contender)}, ${baseline} ${percent(accuracy.baseline)}, ${points}${between}`;
}

function runText({ name, problem, model, task, seed, state, step, steps, loss, trouble = [] }: RunLine) {
  if (problem !== undefined) return `${name}: ${problem}`;
  const troubles = trouble.length === 0 ? "" : `; ${trouble.join("; ")}`;
  return `${name}: ${model} on ${task}, seed ${seed}, ${state} at step ${step} of ${steps}, loss ${loss ?? "unknown"}${troubles}`;
}

function itemsOf({ tests, config, curves }: RunDetails, part: "tests" | "config" | "loss") {
  if (part === "tests")
    return tests.map(({ name, accuracy, programs }) => ({ name, value: accuracy, programs }));
  if (part === "config") return settings(config, "");
  const every = Math.max(1, Math.ceil(curves.loss.length / CURVE_POINTS));
  return curves.loss
    .filter((_, i) => i % every === 0)
    .map(([step, least, greatest]) => ({ name: String(step), value: [least, greatest] }));
}

/** `task.commands` and its value, one item per key. */
function settings(value: unknown, path: string): { readonly name: string; readonly value: unknown }[] {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) => settings(inner, path === "" ? key : `${path}.${key}`))
    : [{ name: path, value }];
}
