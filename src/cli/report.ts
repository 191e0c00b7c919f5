/** @file statelab report: one page for any run, sweep or set of runs. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { gatherRuns } from "../app/report/load-runs.ts";
import { fail } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { runsReport } from "../report/index.ts";
import { experimentFiles, runFiles, writeFileAtomic } from "../storage/index.ts";
import { defineCommand } from "./lib/command.ts";
import { flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "report",
  summary: "write an HTML page about runs",
  usage: "report FOLDER [...] [--out FILE]",
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {
    out: flag.text("FILE", "the page [FOLDER/report.html; several folders: runs.html]"),
    name: flag.texts("NAME", "names on the page, in the order of the settings; may be repeated"),
  },
  examples: [
    "report runs/deltanet",
    "report runs/beta",
    "report runs/deltanet runs/lstm --out deltanet-or-lstm.html",
  ],
  notes:
    "FOLDER is a run, or contains runs at most three levels down. Runs that differ only in the seed share one curve. The page is one file and works offline. The page of an experiment is not replaced.\n" +
    "More: docs/how-to/train.md",

  async run({ positionals, values, json, print, signal }) {
    const [first, ...others] = positionals;
    const out = values.out ?? (others.length === 0 ? join(first, runFiles.report) : "runs.html");
    if (values.out === undefined && others.length === 0 && existsSync(join(first, experimentFiles.result)))
      fail(first, "--out FILE", "a folder of an experiment", `${out} is the page that reproduce wrote`);
    const kinds = await gatherRuns(positionals, signal, values.name);
    const command = [
      "statelab",
      "report",
      ...positionals,
      ...(values.out === undefined ? [] : ["--out", values.out]),
      ...values.name.flatMap((name) => ["--name", name]),
    ]
      .map(shellWord)
      .join(" ");
    await writeFileAtomic(out, runsReport(kinds, { command }));
    if (json) print(JSON.stringify({ report: out, kinds }));
    else print(`Wrote ${out}. Open it in a browser.`);
  },
});
