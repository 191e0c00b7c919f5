/**
 * @file From the runs of a result to cells: one architecture on one task, its grid and its reported seeds.
 *
 *     setting "parity, rate 0.002"     a run of the grid
 *     setting "parity"                 a reported one, at the rate that the grid chose
 *     chosen                           the rate with the largest mean of the two accuracies, as trained and longer, or the smallest of the
 *                                      two nats above the exact filter; of equals the smallest
 */

import { mean, median } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import type { RunConfig } from "../../src/records/run.ts";
import type { ZooCell, ZooRun } from "../../src/records/zoo.ts";
import { sha256 } from "../../src/work/run/bundle.ts";
import type { PlannedTest, UnreadResult } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";
import { rowsOf } from "../engine/views.ts";
import { columns } from "./columns.ts";
import { EASIEST, LONGER, TRAINED } from "./settings.ts";

export const gridSetting = (column: string, rate: number) => `${column}, rate ${rate}`;
/** Of a setting, of the grid or reported. */
export const columnOf = (setting: string) => setting.split(", rate ")[0];

export const taught = defineMeasurement({
  id: "taught",
  label: "The last answers of the very words that were trained",
  at: { rate: "learning rate" },
  values: { share: "share" },
});

export const cell = defineMeasurement({
  id: "cell",
  label: "The cell of each run",
  at: { rate: "learning rate" },
  values: { state: "numbers of state" },
});

/** All that the runs of a cell have in common, in twelve digits. Fields that the lab has later, at their defaults, change nothing. */
export function settingsHash(
  { task, model, train, curriculum, stateSupervision, tokenizer }: RunConfig,
  tests: readonly PlannedTest[],
  code = "",
): string {
  const { steps, batch, padTo, loss, schedule, warmupSteps, decaySteps, finalShare } = train;
  const { optimizer, beta1, beta2, epsilon, weightDecay, clip } = train;
  const common = {
    ...{ task, model, curriculum, stateSupervision, tokenizer, code },
    ...{ steps, batch, padTo, loss, schedule, warmupSteps, decaySteps, finalShare },
    ...{ optimizer, beta1, beta2, epsilon, weightDecay, clip },
    tests: tests.map(({ name, change }) => ({ name, change })),
  };
  return sha256(JSON.stringify(common)).slice(0, 12);
}

type Runs = Pick<UnreadResult, "results" | "training" | "measurements">;

/** One cell's runs in one setting, in the order in which they were asked. */
function runsIn(result: Runs, setting: string, row: string): ZooRun[] {
  const { programs, lengths } = columns[columnOf(setting)] ?? {};
  const share = programs === undefined ? (row: ResultRow) => row.accuracyLast : shareOfKnown;
  return rowsOf(result, { setting, model: row, test: LONGER }).flatMap((longer) => {
    const { seed } = longer;
    const at = { setting, model: row, seed };
    const [fresh] = rowsOf(result, { ...at, test: TRAINED });
    const [easiest] = rowsOf(result, { ...at, test: EASIEST });
    const trained = lengths === undefined ? fresh && share(fresh) : taught.of(result, at)[0]?.values.share;
    const curve = curveOf(result, setting, row, seed);
    if (trained === undefined || curve === undefined) return [];
    const [near, far] = [fresh, longer].map((row) => row?.nats && row.nats.vocabulary - row.nats.exact);
    return [
      {
        ...{ seed, rate: curve.learningRate, trained, longer: share(longer) },
        ...(easiest !== undefined && { easiest: share(easiest) }),
        ...(near !== undefined && far !== undefined && { nats: { trained: near, longer: far } }),
      },
    ];
  });
}

/** Of the right answers that can be had: all, but where the task's exact filter has fewer. */
const shareOfKnown = ({ accuracy, references }: ResultRow) =>
  Math.min(1, accuracy / (references.exactBayes?.accuracy ?? 1));

const curveOf = ({ training }: Runs, setting: string, row: string, seed?: number) =>
  training.find(
    (each) => each.setting === setting && each.model === row && (seed ?? each.seed) === each.seed,
  );

/** Of the grid of one cell the best rate; undefined where none of its runs has come to its end. */
export function chosenRate(grid: readonly ZooRun[]): number | undefined {
  const score = (rate: number) =>
    mean(
      grid
        .filter((run) => run.rate === rate)
        .map(({ nats, trained, longer }) =>
          nats === undefined ? trained + longer : -nats.trained - nats.longer,
        ),
    );
  const rates = [...new Set(grid.map(({ rate }) => rate))].toSorted((a, b) => a - b);
  return rates.reduce<number | undefined>(
    (best, rate) => (best === undefined || score(rate) > score(best) ? rate : best),
    undefined,
  );
}

export function gridOf(result: Runs, row: string, column: string): ZooRun[] {
  const settings = [...new Set(result.results.map(({ setting }) => setting))];
  return settings
    .filter((setting) => setting !== column && columnOf(setting) === column)
    .flatMap((setting) => runsIn(result, setting, row));
}

/** Every cell that has a reported run, in the order in which they were run. */
export function cellsOf(result: Runs & Pick<UnreadResult, "date">): ZooCell[] {
  const reported = result.results.filter(({ setting }) => columnOf(setting) === setting);
  const names = new Map(
    reported.map(({ model, setting }) => [`${model}\0${setting}`, [model, setting] as const]),
  );
  return [...names.values()].flatMap(([row, column]): ZooCell[] => {
    const runs = runsIn(result, column, row);
    const curve = curveOf(result, column, row);
    const [about] = cell.of(result, { setting: column, model: row });
    if (runs.length === 0 || curve === undefined || about === undefined) return [];
    const own = result.training.filter((each) => each.setting === column && each.model === row);
    return [
      {
        ...{ row, column, settings: about.note ?? "", rate: runs[0].rate, runs },
        grid: gridOf(result, row, column),
        ...{ parameters: curve.parameters, state: about.values.state },
        seconds: Number(median(own.map(({ seconds }) => seconds)).toPrecision(3)),
        date: result.date,
      },
    ];
  });
}
