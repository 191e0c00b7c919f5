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
  summary: "write a page of any runs: what they were asked, how they learned, where they differ",
  usage: "report FOLDER [...] [--out FILE]",
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {
    out: flag.text("FILE", "the page; default FOLDER/report.html, of several folders runs.html here"),
  },
  examples: [
    "report runs/deltanet",
    "report runs/beta",
    "report runs/deltanet runs/lstm --out deltanet-or-lstm.html",
  ],
  notes:
    "FOLDER is a run, or a folder with runs at most three folders down: a sweep, an experiment, a search. Runs that differ in nothing\n" +
    "but the seed are drawn as one. What the runs were asked is shown: statelab evaluate RUN asks more. A run that no test asked about the\n" +
    "densest reveals of its training, and that looks unlearned, is asked these. The page is one file that works offline. An experiment's own page, which reproduce writes, is never replaced.",

  async run({ positionals, values, json, print, signal }) {
    const [first, ...others] = positionals;
    const out = values.out ?? (others.length === 0 ? join(first, runFiles.report) : "runs.html");
    if (values.out === undefined && others.length === 0 && existsSync(join(first, experimentFiles.result)))
      fail(first, "--out FILE", "a folder of an experiment", `${out} is the page that reproduce wrote`);
    const kinds = await gatherRuns(positionals, signal);
    const command = [
      "statelab",
      "report",
      ...positionals,
      ...(values.out === undefined ? [] : ["--out", values.out]),
    ]
      .map(shellWord)
      .join(" ");
    await writeFileAtomic(out, runsReport(kinds, { command }));
    if (json) print(JSON.stringify({ report: out, kinds }));
    else print(`Wrote ${out}. Open it in a browser.`);
  },
});
