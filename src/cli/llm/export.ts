/** @file statelab llm export: the samples of an evaluation, in the files of other harnesses. */

import { exportEval } from "../../app/llm/export.ts";
import { fail, Words } from "../../core/error.ts";
import { askExportNames } from "../../eval/exports/index.ts";
import { defineCommand } from "../lib/command.ts";
import { flag } from "../lib/flags.ts";

export const command = defineCommand({
  name: "llm export",
  summary: "write an evaluation in the formats of other harnesses",
  usage: "llm export DIR --to FORMAT [--out DIR]",
  positionals: { least: 1, most: 1 },
  options: {
    to: flag.choice("FORMAT", `${askExportNames.join(", ")} (required)`, askExportNames),
    out: flag.text("DIR", "output folder [the exported folder]"),
  },
  examples: [
    "llm export runs/llm-cruxeval-NAME --to lm-eval",
    "llm export runs/llm-cruxeval-NAME --to inspect --out exported",
  ],
  notes: "DIR is a folder of llm eval.\nMore: docs/how-to/evaluate-llm.md",

  async run({ positionals: [folder], values: { to: as, out }, json, print }) {
    if (as === undefined) fail("llm export", `--to ${askExportNames.join(", ")}`, new Words("none"));
    const files = await exportEval(folder, { as, out, now: Date.now() });
    print(json ? JSON.stringify({ evaluation: folder, files }) : files.join("\n"));
  },
});
