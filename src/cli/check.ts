/** @file statelab check: a model or a task of one's own, examined by the lab's own suites. */

import type { Checked, Finding } from "../app/check/check.ts";
import { exitCodes } from "../core/error.ts";
import { textTable } from "../report/text-table.ts";
import { defineCommand } from "./lib/command.ts";
import { flag } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "check",
  summary: "test your own model or task file",
  usage: "check FILE [FILE ...] [--set KEY=VALUE]",
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {
    set: flag.texts("KEY=VALUE", "a model field or task parameter, e.g. heads=4; may be repeated"),
  },
  examples: ["check examples/my-model.ts", "check examples/my-task.ts --set commands=20"],
  notes:
    "A model: causality, step by step against whole sequences, independent rows, determinism, gradients. A task: true reveals, states, tokenizer, bounds, references, and CPython's own states if its programs are Python.\n" +
    "Writes nothing. Exit code 1: a check failed.\n" +
    "More: docs/how-to/add-a-model.md, docs/how-to/add-a-task.md",

  async run({ positionals: files, values, json, print, say, signal }) {
    const { checkFile } = await import("../app/check/check.ts");
    const progress = progressOn(process.stderr);
    const all: Checked[] = [];
    try {
      for (const [step, file] of files.entries()) {
        signal.throwIfAborted();
        progress.update("check", { step, steps: files.length, note: file });
        all.push(await checkFile({ file, settings: values.set, signal }));
      }
    } finally {
      progress.close();
    }
    if (json) print(JSON.stringify(all.length === 1 ? all[0] : all));
    else for (const checked of all) print(tableOf(checked));
    const wrong = all.flatMap(({ findings }) => findings.filter(({ problem }) => problem !== undefined));
    if (wrong.length === 0) return exitCodes.ok;
    say(`statelab: ${wrong.length} check${wrong.length === 1 ? "" : "s"} failed`);
    return exitCodes.finishedWithFailures;
  },
});

const tableOf = ({ file, kind, name, findings }: Checked) =>
  `${file}: ${kind} ${name}\n${textTable({
    columns: ["check", "found"],
    rows: findings.map((finding) => [finding.check, wordsOf(finding)]),
  })}`;

function wordsOf({ problem, skipped }: Finding): string {
  if (problem !== undefined) return `FAILED: ${problem}`;
  return skipped === undefined ? "passed" : `skipped: ${skipped}`;
}
