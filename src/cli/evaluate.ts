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
import { checkpointOption, flag, group } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "evaluate",
  summary: "ask a trained model about programs it has not seen",
  usage: "evaluate RUN [--set KEY=VALUE ...] [--grid KEY=V1,V2 ...] [--programs N] [--name NAME] [--rerun]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Tests", {
      set: flag.texts(
        "KEY=VALUE",
        "change the task, e.g. --set commands=48; without it, the tests of the run's configuration",
      ),
      grid: flag.texts(
        "KEY=V1,V2",
        "a grid: ask each value, e.g. --grid commands=12,48; repeated, every combination",
      ),
      name: flag.text("NAME", "what this evaluation is called; default: what is asked"),
      programs: flag.integer("N", "programs per test; default as configured", {
        least: 1,
        most: mostPrograms,
      }),
      checkpoint: checkpointOption,
    }),
    ...group("Results", {
      rerun: flag.toggle("ask also what these weights were asked before"),
      "use-current-code": flag.toggle(
        "use own task and model files as they are now, not as the run kept them; nothing is written",
      ),
      "save-predictions": flag.text(
        "FILE",
        "write each reveal with its prompt, value, answer and margin, for llm eval --bench reveals",
      ),
      "compare-with": flag.text(
        "DIR",
        "say where the answers differ from those that llm eval got for the same reveals, in DIR",
      ),
    }),
  },
  examples: [
    "evaluate runs/deltanet",
    "evaluate runs/deltanet --set commands=48 --set spacing=24 --programs 200",
    "evaluate runs/deltanet --grid commands=24,48,96 --grid spacing=4,12,24 --name far",
    "evaluate runs/deltanet --programs 50 --save-predictions reveals.jsonl",
    "evaluate runs/deltanet --programs 50 --compare-with runs/llm-reveals-deltanet",
  ],
  notes:
    "Writes RUN/evaluations/NAME@STEP.json and the last one as RUN/evaluation.json, and the single answers into RUN/tested.jsonl: what these weights were asked before is taken\n" +
    "from there, unless the task is a folder of traces. Programs that the run was trained on are passed over.\n" +
    "Exit code 1 with --compare-with where an answer differs whose two best logits are 1e-4 or more apart.\n" +
    "Where chance that nobody sees moves the state: nats a reveal among all tokens, among the values, and of the exact filter.",

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
          programs,
          again,
          asEdited: values["use-current-code"],
          reveals,
          against,
          signal,
        },
        onAsk: (test, step, steps) => progress.update(folder, { step, steps, note: test }),
      });
    } catch (error) {
      if (signal.aborted) say("statelab: stopped; what was answered is kept, the same command goes on");
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
      say(`statelab: ${before} of ${results.length} tests were answered before; ask anew by --rerun`);
    if (results.some((result) => result.programs < result.wanted)) {
      say("statelab: the task has too few different programs; fewer were asked than wanted");
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
      ...(priced ? ["nats a reveal", "among values", "exact filter"] : []),
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
