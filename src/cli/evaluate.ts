/** @file statelab evaluate: how often a trained model names the revealed value, on programs it has not seen. */

import { join } from "node:path";
import { applySettings } from "../records/config.ts";
import { writeFileAtomic } from "../store/index.ts";
import { defineCommand, integerFlag } from "./command.ts";
import { textTable } from "./table.ts";
import { askAbout, openTrained } from "./trained-run.ts";

export const command = defineCommand({
  name: "evaluate",
  summary: "ask a trained model about programs it has not seen",
  usage: "evaluate RUN [--set KEY=VALUE ...] [--programs N]",
  positionals: { least: 1, most: 1 },
  options: {
    set: {
      type: "string",
      multiple: true,
      value: "KEY=VALUE",
      description:
        "change the task, e.g. --set commands=48; without it, the tests of the run's configuration",
    },
    programs: { type: "string", value: "N", description: "programs per test; default as configured" },
  },
  examples: [
    "evaluate runs/deltanet",
    "evaluate runs/deltanet --set commands=48 --set spacing=24 --programs 200",
  ],
  notes: "Writes RUN/evaluation.json. Programs that the run was trained on are passed over.",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const run = await openTrained(folder);
    const asked = values.set.length > 0 ? [applySettings({}, values.set)] : run.config.evaluate.tests;
    const tests = asked as readonly Record<string, unknown>[]; // applySettings of {} is an object
    const programs =
      values.programs === undefined
        ? run.config.evaluate.programs
        : integerFlag("--programs", values.programs, 1);
    const results = [];
    for (const change of tests) {
      if (signal.aborted) break;
      const { evaluation, references } = await askAbout(run, change, programs);
      const { hits: _, ...numbers } = evaluation;
      const known = Object.entries(references).map(([name, { accuracy }]) => [name, accuracy] as const);
      results.push({ change, ...numbers, references: Object.fromEntries(known) });
    }
    const document = { run: folder, step: run.step, model: run.config.model, results };
    await writeFileAtomic(join(folder, "evaluation.json"), `${JSON.stringify(document, null, 2)}\n`);
    if (json) print(JSON.stringify(document));
    else {
      const names = Object.keys(results[0]?.references ?? {});
      const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
      const columns = ["test", "programs", "all reveals", "last reveal", ...names];
      const rows = results.map(({ change, programs: count, accuracy, accuracyLast, references }) => [
        Object.entries(change)
          .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
          .join(", ") || "as configured",
        count,
        percent(accuracy),
        percent(accuracyLast),
        ...names.map((name) => percent(references[name])),
      ]);
      print(textTable({ columns, rows }));
    }
    if (results.some((result) => result.programs < programs)) {
      say("statelab: the task has too few different programs; fewer were asked than wanted");
    }
    return 0;
  },
});
