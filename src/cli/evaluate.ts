/** @file statelab evaluate: how often a trained model names the revealed value, on programs it has not seen. */

import { isDeepStrictEqual } from "node:util";
import type { Axis } from "../app/grid.ts";
import { type Evaluated, evaluateRun } from "../app/run/evaluate.ts";
import { describeAgreement, nearTie } from "../app/run/predictions.ts";
import type { TestSummary } from "../app/run/results.ts";
import { exitCodes } from "../core/error.ts";
import { percent, spaced } from "../report/shares.ts";
import { type Table, textTable } from "../report/text-table.ts";
import { mostPrograms } from "../schemas/run-config.ts";
import { testName } from "../schemas/test-result.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, deviceOption, flag, group } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "evaluate",
  summary: "test a trained model on unseen programs",
  usage: "evaluate RUN [OPTIONS]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Tests", {
      set: flag.texts("KEY=VALUE", "change the task [the tests in the configuration]"),
      grid: flag.texts("KEY=V1,V2", "test a grid of values; repeat for combinations"),
      programs: flag.integer("N", "programs per test [as configured]", {
        least: 1,
        most: mostPrograms,
      }),
      name: flag.text("NAME", "name of this evaluation [from the settings]"),
      checkpoint: checkpointOption,
      device: deviceOption("the run's"),
    }),
    ...group("Results", {
      rerun: flag.toggle("ignore cached results"),
      "save-predictions": flag.text("FILE", "save each prompt, value, answer and margin"),
      "compare-with": flag.text("DIR", "compare with the answers that llm eval saved in DIR"),
      "use-current-code": flag.toggle("use your edited task and model files; writes nothing"),
    }),
  },
  examples: [
    "evaluate runs/deltanet",
    "evaluate runs/deltanet --set commands=48 --set spacing=24",
    "evaluate runs/deltanet --grid commands=24,48 --name far",
  ],
  notes:
    "Prints accuracy beside the task's reference predictors. With hidden random swaps it also prints the loss in nats per reveal and that of the exact filter.\n" +
    "Writes RUN/evaluations/NAME@STEP.json, RUN/evaluation.json and RUN/tested.jsonl (cached results).\n" +
    "Exit code 1: with --compare-with, an answer differs.\n" +
    "More: docs/how-to/analyze.md",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const { set: settings, grid: over, name, rerun: again, programs } = values;
    const { "save-predictions": reveals, "compare-with": against } = values;
    const progress = progressOn(process.stderr);
    let evaluated: Evaluated;
    try {
      evaluated = await evaluateRun({
        ...{
          folder,
          settings,
          over,
          name,
          checkpoint: values.checkpoint,
          device: values.device,
          programs,
          again,
          useCurrentCode: values["use-current-code"],
          reveals,
          against,
          signal,
        },
        onAsk: (test, step, steps) => progress.update(folder, { step, steps, note: test }),
      });
    } catch (error) {
      if (signal.aborted)
        say("statelab: stopped; results so far are saved. Run the same command again to continue");
      throw error;
    } finally {
      progress.close();
    }
    const { document, before, remarks, agreement } = evaluated;
    for (const sentence of remarks) say(`statelab: ${sentence}`);
    const { results } = document;
    if (json) print(JSON.stringify({ ...document, ...(agreement && { agreement }) }));
    else {
      print(document.grid?.length === 2 ? gridOf(document.grid, results) : textTable(tableOf(results)));
      if (agreement !== undefined) print(`\n${describeAgreement(agreement)}`);
    }
    if (before > 0)
      say(`statelab: ${before} of ${results.length} results are cached; --rerun recomputes them`);
    if (results.some((result) => result.programs < result.wanted)) {
      say("statelab: the task has too few different programs; some tests have fewer than requested");
    }
    const differs = agreement?.differing.some(({ margin }) => margin >= nearTie) ?? false;
    return differs ? exitCodes.finishedWithFailures : exitCodes.ok;
  },
});

/** One table for the model and each reference; rows are the first axis, columns the second. */
function gridOf([down, across]: readonly Axis[], results: readonly TestSummary[]): string {
  const at = (row: unknown, column: unknown) =>
    results.find(
      ({ change }) =>
        isDeepStrictEqual(valueAt(change, down.key), row) &&
        isDeepStrictEqual(valueAt(change, across.key), column),
    );
  const shown = (name: string, share: (test: TestSummary) => number) =>
    textTable({
      columns: [
        `${name}, ${down.key} \\ ${across.key}`,
        ...across.values.map((value) => JSON.stringify(value)),
      ],
      rows: down.values.map((row) => [
        JSON.stringify(row),
        ...across.values.map((column) => {
          const test = at(row, column);
          return percent(test === undefined || test.programs === 0 ? Number.NaN : share(test));
        }),
      ]),
    });
  const references = Object.keys(results[0].references);
  return [
    shown("all reveals", ({ accuracy }) => accuracy),
    ...references.map((name) => shown(spaced(name), (test) => test.references[name])),
  ].join("\n\n");
}

const valueAt = (change: unknown, key: string) =>
  key.split(".").reduce<unknown>((inner, part) => (inner as Record<string, unknown>)?.[part], change);

function tableOf(results: readonly TestSummary[]): Table {
  const names = Object.keys(results[0]?.references ?? {});
  const priced = results.some(({ nats }) => nats !== undefined);
  return {
    columns: [
      ...["test", "programs", "all reveals", "last reveal", ...names.map(spaced)],
      ...(priced ? ["nats per reveal", "among values", "exact filter"] : []),
    ],
    rows: results.map(({ change, programs, accuracy, accuracyLast, references, nats }) => {
      const shares = [accuracy, accuracyLast, ...names.map((name) => references[name])];
      const paid = priced ? [nats?.vocabulary, nats?.values, nats?.exact] : [];
      return [
        testName(change),
        programs,
        ...shares.map((share) => percent(programs === 0 ? Number.NaN : share)),
        ...paid.map((each) => (programs === 0 ? "\u2013" : each?.toFixed(3))),
      ];
    }),
  };
}
