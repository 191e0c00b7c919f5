/**
 * @file The learning rates of the headline: every architecture at every rate of one grid, on seeds that no result uses.
 *
 *     node dist/experiments/headline/headline-grid.js [--seeds N] [--jobs N] [--only ARCHITECTURE]
 *
 * Prints one line a run as it ends, then the table that stands in evidence/headline/log.md. The runs stay in runs/headline-grid.
 */

import { parseArgs } from "node:util";
import { inChildProcess } from "../../src/jobs/child.ts";
import { runJobs } from "../../src/jobs/pool.ts";
import { textTable } from "../../src/report/text-table.ts";
import type { RunProgress } from "../../src/work/run/progress.ts";
import type { Job, JobResult } from "../engine/job.ts";
import { runName } from "../engine/run.ts";
import { gridModels, headline, headlineRun, settings } from "./headline.ts";

const FIRST_SEED = 1000;
const PROGRAMS = 200;
const rates = [5e-4, 1e-3, 2e-3, 5e-3];

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    only: { type: "string" },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => FIRST_SEED + i);
const plan = headline.plan("laptop", [FIRST_SEED]);
const names = gridModels.filter((name) => name === (values.only ?? name));
const jobs = seeds.flatMap((seed) =>
  names.flatMap((model) =>
    rates.map((rate): Job => {
      const config = headlineRun(settings.laptop, model, seed, rate);
      const [{ tests }] = plan.runs;
      const run = { setting: "", model, config, tests };
      return {
        ...run,
        overwrite: false,
        folder: `runs/headline-grid/${runName(run)}-rate-${rate}`,
        config: { ...config, evaluate: { ...config.evaluate, programs: PROGRAMS } },
      };
    }),
  ),
);

const execute = inChildProcess<Job, RunProgress, JobResult>({
  entry: new URL("../engine/worker.ts", import.meta.url),
});
const outcomes = await runJobs(jobs, execute, {
  atMost: Number(values.jobs),
  onEnd: (job, outcome) => {
    const rows = outcome.kind === "done" ? outcome.result.rows : [];
    const shown = rows.map(({ tested, accuracy }) => `${tested.name} ${accuracy.toFixed(3)}`);
    console.log(job.folder, outcome.kind, shown.join("  "));
  },
});
const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
const rows = names.flatMap((model) =>
  rates.map((rate) => {
    const results = outcomes.flatMap((outcome, i) =>
      outcome.kind === "done" && jobs[i].model === model && jobs[i].config.train.learningRate === rate
        ? [outcome.result.rows]
        : [],
    );
    const over = (kept: (asTrained: boolean) => boolean) =>
      mean(
        results.map((each) =>
          mean(each.filter(({ tested }) => kept(tested.asTrained)).map((row) => row.accuracy)),
        ),
      );
    return [
      model,
      String(rate),
      results.length,
      over((trained) => trained).toFixed(3),
      over((trained) => !trained).toFixed(3),
    ];
  }),
);
console.log(textTable({ columns: ["architecture", "rate", "seeds", "as trained", "beyond"], rows }));
