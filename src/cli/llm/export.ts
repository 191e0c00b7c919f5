/** @file statelab llm export: an evaluation, or the questions of a benchmark, in the files of other harnesses. */

import { join } from "node:path";
import { exportEval, exportQuestions } from "../../app/llm/export.ts";
import { fail, Words } from "../../core/error.ts";
import { askExportNames } from "../../eval/exports/index.ts";
import { defineCommand } from "../lib/command.ts";
import { benchmarkOptions, questionOptions } from "../lib/eval.ts";
import { flag, rare, seedOption } from "../lib/flags.ts";

const formats = [...askExportNames, "hub"] as const;

export const command = defineCommand({
  name: "llm export",
  summary: "write an evaluation or a benchmark for other harnesses",
  usage: "llm export DIR|BENCH --to FORMAT [--out DIR] [OPTIONS]",
  positionals: { least: 1, most: 1 },
  options: {
    to: flag.choice("FORMAT", `${formats.join(", ")} (required)`, formats),
    out: flag.text("DIR", "output folder [the exported folder; runs/hub-BENCH]"),
    ...questionOptions,
    ...rare({ seed: seedOption }),
  },
  examples: [
    "llm export runs/llm-cruxeval-NAME --to lm-eval",
    "llm export runs/llm-cruxeval-NAME --to inspect --out exported",
    "llm export parity --set length=32 --to hub --out parity-32",
  ],
  notes:
    "DIR is a folder of llm eval. With --to hub, BENCH is a benchmark, whose questions become a Hugging Face data set that inspect_ai and lm-evaluation-harness run; the other options choose its questions.\n" +
    "More: docs/how-to/evaluate-llm.md",

  async run({ positionals: [from], values, json, print, say }) {
    const { to: as, out } = values;
    if (as === undefined) fail("llm export", `--to ${formats.join(", ")}`, new Words("none"));
    if (as !== "hub") {
      const files = await exportEval(from, { as, out, now: Date.now() });
      print(json ? JSON.stringify({ evaluation: from, files }) : files.join("\n"));
      return;
    }
    const {
      paths: files,
      questions,
      left,
    } = await exportQuestions(benchmarkOptions(from, values), out ?? join("runs", `hub-${from}`));
    if (left > 0) say(`statelab: left out ${left} questions of several turns`);
    print(json ? JSON.stringify({ benchmark: from, questions, left, files }) : files.join("\n"));
  },
});
