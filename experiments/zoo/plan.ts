/**
 * @file The zoo's runs in three parts: how long a step of each architecture takes, then the grid, then the seeds that are
 * reported, each cell at the learning rate that its grid chose.
 */

import { counted, duration } from "../../src/math/format.ts";
import { median } from "../../src/math/statistics.ts";
import { fail } from "../../src/records/error.ts";
import { RunConfig } from "../../src/records/run.ts";
import { trainerOf } from "../../src/train/trainer.ts";
import { inspectConfig } from "../../src/work/run/parts.ts";
import type { Given, Measuring, Plan, PlannedRun, PlannedWork, UnreadResult } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";
import { chosenRate, gridOf, gridSetting, settingsHash } from "./cells.ts";
import { columns } from "./columns.ts";
import { rows } from "./rows.ts";
import { configOf, stagesOf, testsOf, type ZooSettings } from "./settings.ts";
import { type Wanted, wantedOf } from "./wanted.ts";

export const stepTime = defineMeasurement({
  id: "stepTime",
  label: "Seconds of a step, at the longest trained length",
  at: {},
  values: { seconds: "seconds a step" },
});

const TIMING = "timing";
/** Of a run beside its steps: a process, its tests, its files. */
const SECONDS_BESIDE = 4;

export function zooPlan(setup: ZooSettings, seeds: readonly number[], given: Given): Plan {
  const { gridSeeds, rates } = setup;
  const both = seeds.find((seed) => gridSeeds.includes(seed));
  if (both !== undefined)
    fail("zoo", `seeds that the grid does not use (${gridSeeds.join(", ")})`, both, "Choose another --seed");
  const settingsOf = (row: string, column: string) =>
    rows[row] &&
    settingsHash(
      configOf(setup, rows[row], columns[column], { seed: 0, rate: rates[0] }),
      testsOf(setup, columns[column]),
    );
  const wanted = wantedOf(setup, seeds, given, settingsOf);
  const { cells } = wanted;
  const runOf = (row: string, column: string, setting: string, seed: number, rate: number): PlannedRun => ({
    ...{ setting, model: row },
    config: configOf(setup, wanted.rows[row], columns[column], { seed, rate }),
    tests: testsOf(setup, columns[column]),
  });
  const grid = cells.flatMap(([row, column]) =>
    rates.flatMap((rate) =>
      gridSeeds.map((seed) => runOf(row, column, gridSetting(column, rate), seed, rate)),
    ),
  );
  const reported = (result: UnreadResult): Plan => ({
    runs: cells.flatMap(([row, column]) => {
      const rate = chosenRate(gridOf(result, row, column));
      return rate === undefined ? [] : seeds.map((seed) => runOf(row, column, column, seed, rate));
    }),
    words: [
      "The grid is done; each cell is trained at its own best rate, on seeds that the grid has not seen",
    ],
  });
  return {
    runs: [],
    work: timings(setup, wanted),
    words: [`Timing a step of ${Object.keys(wanted.rows).length} architectures`],
    next: (result) => ({
      runs: grid,
      words: costWords(result, setup, wanted, seeds.length),
      next: reported,
    }),
  };
}

/** One a row, on the wanted column that trains longest. */
function timings(setup: ZooSettings, wanted: Wanted): PlannedWork[] {
  const [longest] = wanted.columns.toSorted((a, b) => columns[b].steps - columns[a].steps);
  return Object.entries(wanted.rows).map(([model, row]) => {
    const config = configOf(setup, row, columns[longest], { seed: 0, rate: setup.rates[0] });
    const stages = [stagesOf(setup, columns[longest]).slice(-1)];
    return { setting: TIMING, model, seed: 0, options: { config: { ...config, curriculum: { stages } } } };
  });
}

export async function* timed({ options }: PlannedWork): Measuring {
  const config = RunConfig.parse(options.config); // as `timings` wrote it
  const { parts, setup } = await inspectConfig(config, "zoo");
  const trainer = trainerOf(setup, parts);
  try {
    yield { done: 0, of: 1 };
    return [stepTime.row({ values: { seconds: await trainer.trialSeconds() } })];
  } finally {
    await trainer.release();
  }
}

/** What is before the user: every row with its time, and the whole; finished runs are not subtracted. */
function costWords(
  result: UnreadResult,
  setup: ZooSettings,
  { rows: own, columns: names, cells, passed }: Wanted,
  seeds: number,
): string[] {
  const runs = setup.rates.length * setup.gridSeeds.length + seeds;
  const costs = Object.keys(own).map((row) => {
    const found = stepTime.of(result, { model: row }).map(({ values }) => values.seconds);
    const step = found.length === 0 ? undefined : median(found);
    const tasks = cells.filter(([of]) => of === row).map(([, column]) => columns[column]);
    const steps = tasks.reduce((sum, task) => sum + setup.steps * task.steps, 0);
    return { row, step, seconds: runs * ((step ?? 0) * steps + SECONDS_BESIDE * tasks.length) };
  });
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    ...(passed === 0
      ? []
      : [`${counted(passed, "cell")} of the file ${passed === 1 ? "is" : "are"} passed over`]),
    `The plan: ${names.length} tasks (${names.join(", ")}), ${runs} runs a cell: ${setup.rates.length} learning rates by ${setup.gridSeeds.length} seeds, then ${seeds} seeds`,
    ...costs.map(({ row, step, seconds }) =>
      step === undefined
        ? `  ${row}: could not be timed`
        : `  ${row}: ${(1000 * step).toFixed(1)} ms a step, ${duration(seconds)} of one core`,
    ),
    `  at most ${duration(total)} of one core in all, shorter words being faster; what is finished is not run again`,
  ];
}
