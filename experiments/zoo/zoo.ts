/**
 * @file The zoo: what theory predicts of every architecture, and what is measured, of one layer or of two.
 *
 *     data.ts          the architectures, a line each; the tasks; the settings
 *     predictions.ts   what theory says, before any run        constructed.ts  what is proven by weights set by hand
 *     table.ts         what a cell shows; tables and the figure
 *
 * A cell is one architecture on one task: the best of three learning rates on two seeds that are not reported, then the
 * reported seeds. Expected: predictions.ts. Sources: there.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { bundleSource, isModulePath } from "../../src/app/own-code/load.ts";
import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import { resolve } from "../../src/app/run/resolve.ts";
import { suggest } from "../../src/core/did-you-mean.ts";
import { fail } from "../../src/core/error.ts";
import { duration } from "../../src/core/format.ts";
import { parseWith } from "../../src/core/settings.ts";
import { mean, median } from "../../src/core/statistics.ts";
import { stateShapes } from "../../src/models/index.ts";
import {
  checkText,
  type ExperimentWords,
  formatCount,
  formatList,
  type PredictionsFigure,
  predictionsFigure,
} from "../../src/report/index.ts";
import type { Check, ExperimentResult, ResultRow } from "../../src/schemas/experiment-result.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { type GradedRun, type ReachRun, type ZooCell, ZooCells } from "../../src/schemas/zoo.ts";
import { parseJson, sha256 } from "../../src/storage/index.ts";
import { size } from "../../src/tensor/index.ts";
import { evaluate } from "../../src/train/evaluate.ts";
import { makeTrainer } from "../../src/train/trainer.ts";
import {
  aboutTraining,
  atLeast,
  atMost,
  check,
  defineExperiment,
  defineMeasurement,
  type Given,
  type Keeping,
  type Measuring,
  measurementRows,
  type OwnOption,
  type Plan,
  type PlannedRun,
  type PlannedTest,
  type PlannedWork,
  type UnreadResult,
} from "../runner/index.ts";
import { zooConfig, zooStages, zooTests } from "./config.ts";
import {
  columns,
  EASIEST,
  LONGER,
  rows,
  settings,
  stateColumns,
  TRAINED,
  twoLayerColumns,
  type ZooRow,
  type ZooSettings,
} from "./data.ts";
import { zooFigure, zooParts } from "./page.ts";
import {
  cellTable,
  chanceScore,
  columnLabel,
  extended,
  extendsBeyond,
  gradedColumnsOf,
  gradedTable,
  LEAST,
  matrixTable,
  type Order,
  orderedPairs,
  type Place,
  placeName,
  rowLabel,
  scaleRule,
  tablePlaces,
  triedPlaces,
  zooPredictions,
} from "./table.ts";

const gridSetting = (column: string, rate: number) => `${column}, rate ${rate}`;
/** Of a setting, of the grid or reported. */
const columnOf = (setting: string) => setting.split(", rate ")[0];

const reached = defineMeasurement({
  id: "reached",
  label: "Lengths in symbols",
  at: { rate: "learning rate" },
  values: { trained: "trained", reach: "reach", generalization: "generalization" },
});

const cell = defineMeasurement({
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
  const { steps, batch, padding, loss, schedule, warmupSteps, decaySteps, minLearningRateRatio } = train;
  const { optimizer, beta1, beta2, epsilon, weightDecay, maxGradNorm } = train;
  const common = {
    ...{ task, model, curriculum, stateSupervision, tokenizer, code },
    ...{ steps, batch, padding, loss, schedule, warmupSteps, decaySteps, minLearningRateRatio },
    ...{ optimizer, beta1, beta2, epsilon, weightDecay, maxGradNorm },
    tests: tests.map(({ name, change }) => ({ name, change })),
  };
  return sha256(JSON.stringify(common)).slice(0, 12);
}

type Runs = Pick<UnreadResult, "results" | "training" | "measurements">;

/** One cell's runs on words in one setting. */
const reachRuns = (result: Runs, setting: string, model: string): ReachRun[] =>
  reached
    .of(result, { setting, model })
    .map(({ seed, at, values }) => ({ seed, rate: Number(at.rate), ...values }));

/** One graded cell's runs in one setting, in the order in which they were asked. */
function gradedRuns(result: Runs, setting: string, row: string): GradedRun[] {
  return measurementRows(result, { setting, model: row, test: LONGER }).flatMap((longer) => {
    const { seed } = longer;
    const at = { setting, model: row, seed };
    const [trained] = measurementRows(result, { ...at, test: TRAINED });
    const [easiest] = measurementRows(result, { ...at, test: EASIEST });
    const curve = curveOf(result, setting, row, seed);
    if (trained === undefined || easiest === undefined || curve === undefined) return [];
    const [near, far] = [trained, longer].map((row) => row.nats && row.nats.vocabulary - row.nats.exact);
    return [
      {
        ...{ seed, rate: curve.learningRate, easiest: shareOfKnown(easiest) },
        ...{ trained: shareOfKnown(trained), longer: shareOfKnown(longer) },
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

/** Of the grid of one cell the best rate by how far it came in training, or by its graded tests; undefined where none of its runs has come to its end. */
export function chosenRate(grid: readonly (ReachRun | GradedRun)[]): number | undefined {
  const scoreOf = (run: ReachRun | GradedRun) => {
    if ("reach" in run) return run.trained + run.reach;
    const { nats, trained, longer } = run;
    return nats === undefined ? trained + longer : -nats.trained - nats.longer;
  };
  const score = (rate: number) => mean(grid.filter((run) => run.rate === rate).map(scoreOf));
  const rates = [...new Set(grid.map(({ rate }) => rate))].toSorted((a, b) => a - b);
  return rates.reduce<number | undefined>(
    (best, rate) => (best === undefined || score(rate) > score(best) ? rate : best),
    undefined,
  );
}

type RunsIn<Run> = (result: Runs, setting: string, row: string) => Run[];
const runsOf = (column: string): RunsIn<ReachRun | GradedRun> =>
  columns[column]?.programs === undefined ? reachRuns : gradedRuns;

function gridOf<Run>(result: Runs, row: string, column: string, runsIn: RunsIn<Run>): Run[] {
  const settings = [...new Set(result.training.map(({ setting }) => setting))];
  return settings
    .filter((setting) => setting !== column && columnOf(setting) === column)
    .flatMap((setting) => runsIn(result, setting, row));
}

/** Every cell that has a reported run, in the order in which they were run. */
export function resultCells(result: Runs & Pick<UnreadResult, "date">): ZooCell[] {
  const reported = result.training.filter(({ setting }) => columnOf(setting) === setting);
  const names = new Map(
    reported.map(({ model, setting }) => [`${model}\0${setting}`, [model, setting] as const]),
  );
  return [...names.values()].flatMap(([row, column]): ZooCell[] => {
    const curve = curveOf(result, column, row);
    const [about] = cell.of(result, { setting: column, model: row });
    if (curve === undefined || about === undefined) return [];
    const own = result.training.filter((each) => each.setting === column && each.model === row);
    const common = {
      ...{ row, column, settings: about.note ?? "", rate: curve.learningRate },
      ...{ parameters: curve.parameters, state: about.values.state },
      seconds: Number(median(own.map(({ seconds }) => seconds)).toPrecision(3)),
      date: result.date,
    };
    const cellBy = <Run>(runsIn: RunsIn<Run>) => {
      const runs = runsIn(result, column, row);
      return runs.length === 0 ? [] : [{ ...common, runs, grid: gridOf(result, row, column, runsIn) }];
    };
    return columns[column]?.programs === undefined ? cellBy(reachRuns) : cellBy(gradedRuns);
  });
}

const options = {
  only: { value: "NAMES", description: "architectures, e.g. deltanet,gru [all]" },
  tasks: {
    value: "NAMES",
    description: "tasks, e.g. parity,s3-swaps-2-layers [all but words of 2 layers]",
  },
  model: { value: "FILE", description: "your own architecture, named like its file" },
  except: {
    value: "FILE",
    description: "skip the cells in this file that have all seeds",
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

interface Wanted {
  readonly rows: Readonly<Record<string, ZooRow>>;
  readonly columns: readonly string[];
  /** Row and column of each. */
  readonly cells: readonly (readonly [row: string, column: string])[];
  /** So many more were asked for, and are there already. */
  readonly passed: number;
}

/** What a cell's settings would be; undefined of an architecture of the user's own, which may have been edited. */
type SettingsOf = (row: string, column: string) => string | undefined;

/** @throws LabError for names that are not known, a file that is none, and where no cell is left. */
export function selectCells(
  { only }: ZooSettings,
  seeds: readonly number[],
  given: Given,
  settingsOf: SettingsOf,
): Wanted {
  const own = ownRow(given.model);
  const known = { ...rows, ...own };
  const names =
    given.only === undefined
      ? [...(only?.rows ?? Object.keys(rows)), ...Object.keys(own)]
      : named("--only", given.only, Object.keys(known));
  const across =
    given.tasks === undefined
      ? (only?.columns ?? Object.keys(columns).filter((name) => !twoLayerColumns.includes(name)))
      : named("--tasks", given.tasks, Object.keys(columns));
  const all = across.flatMap((column) => names.map((row): readonly [string, string] => [row, column]));
  const there = given.except === undefined ? [] : cellsOfFile(given.except);
  const isThere = ([row, column]: readonly [string, string]) =>
    there.some(
      (cell) =>
        cell.row === row &&
        cell.column === column &&
        cell.settings === settingsOf(row, column) &&
        seeds.every((seed) => cell.runs.some((run) => run.seed === seed)),
    );
  const cells = all.filter((each) => !isThere(each));
  if (cells.length === 0)
    fail("--except", "a cell that is not in the file", "none", "Nothing is left to run");
  return {
    rows: Object.fromEntries(
      names.filter((name) => cells.some(([row]) => row === name)).map((name) => [name, known[name]]),
    ),
    columns: across.filter((name) => cells.some(([, column]) => column === name)),
    cells,
    passed: all.length - cells.length,
  };
}

function cellsOfFile(path: string): readonly ZooCell[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return fail("--except", "a file of cells, as evidence/zoo/laptop-cells.json", path);
  }
  return parseWith(ZooCells, parseJson(text, path, "Name a file of cells"), path).cells;
}

/** `./mine.ts` is the row `mine`. */
function ownRow(path: string | undefined): Readonly<Record<string, ZooRow>> {
  if (path === undefined) return {};
  if (!isModulePath(path))
    fail(path, "a file such as ./mine.ts", path, "Choose built-in architectures with --only");
  if (!existsSync(path)) fail(path, "an existing file", "none");
  const name = basename(path).replace(/\.\w+$/, "");
  if (Object.hasOwn(rows, name)) fail(path, "a file name that no built-in architecture has", name);
  return { [name]: { label: name, summary: `own file ${basename(path)}`, model: { name: path } } };
}

function named(flag: string, text: string, known: readonly string[]): string[] {
  const names = text.split(",").map((each) => each.trim());
  for (const name of names) if (!known.includes(name)) fail(flag, "known names", name, suggest(name, known));
  return [...new Set(names)];
}

const stepTime = defineMeasurement({
  id: "stepTime",
  label: "Seconds per step at the longest trained length",
  at: {},
  values: { seconds: "seconds per step" },
});

const TIMING = "timing";
/** Seconds of a run in addition to its steps: process, tests, files. */
const SECONDS_BESIDE = 4;

/** The rates of a cell, and the seeds that choose among them. */
function searchOf(setup: ZooSettings, { rate }: ZooRow, column: string) {
  if (columns[column].programs !== undefined) return setup;
  return rate === undefined ? setup.words : { rates: [rate], gridSeeds: [] };
}

export function zooPlan(setup: ZooSettings, seeds: readonly number[], given: Given): Plan {
  const unreported = [...setup.gridSeeds, ...setup.words.gridSeeds];
  const both = seeds.find((seed) => unreported.includes(seed));
  if (both !== undefined)
    fail(
      "zoo",
      `seeds that the grid does not use (${[...new Set(unreported)].join(", ")})`,
      both,
      "Choose another --seed",
    );
  const settingsOf = (row: string, column: string) =>
    rows[row] &&
    settingsHash(
      zooConfig(setup, rows[row], columns[column], { seed: 0, rate: setup.rates[0] }),
      zooTests(columns[column]),
    );
  const wanted = selectCells(setup, seeds, given, settingsOf);
  const { cells } = wanted;
  const runOf = (row: string, column: string, setting: string, seed: number, rate: number): PlannedRun => ({
    ...{ setting, model: row },
    config: zooConfig(setup, wanted.rows[row], columns[column], { seed, rate }),
    tests: zooTests(columns[column]),
  });
  const grid = cells.flatMap(([row, column]) => {
    const { rates, gridSeeds } = searchOf(setup, wanted.rows[row], column);
    return rates.flatMap((rate) =>
      gridSeeds.map((seed) => runOf(row, column, gridSetting(column, rate), seed, rate)),
    );
  });
  const reported = (result: UnreadResult): Plan => ({
    runs: cells.flatMap(([row, column]) => {
      const [only, other] = searchOf(setup, wanted.rows[row], column).rates;
      const rate = other === undefined ? only : chosenRate(gridOf(result, row, column, runsOf(column)));
      return rate === undefined ? [] : seeds.map((seed) => runOf(row, column, column, seed, rate));
    }),
    words: ["The grid is done. Each architecture is trained on each task at its best rate, on new seeds"],
  });
  return {
    runs: [],
    work: timings(setup, wanted),
    words: [`Timing one step of ${formatCount(Object.keys(wanted.rows).length, "architecture")}`],
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
    const config = zooConfig(setup, row, columns[longest], { seed: 0, rate: setup.rates[0] });
    const stages = [zooStages(setup, columns[longest]).slice(-1)];
    return { setting: TIMING, model, seed: 0, options: { config: { ...config, curriculum: { stages } } } };
  });
}

async function* timed({ options }: PlannedWork): Measuring {
  const config = RunConfig.parse(options.config); // as `timings` wrote it
  const resolved = await resolve(config, "zoo");
  const trainer = makeTrainer(resolved, resolved);
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
  const countOf = (row: string, column: string) => {
    const { rates, gridSeeds } = searchOf(setup, own[row], column);
    return rates.length * gridSeeds.length + seeds;
  };
  const costs = Object.keys(own).map((row) => {
    const found = stepTime.of(result, { model: row }).map(({ values }) => values.seconds);
    const step = found.length === 0 ? undefined : median(found);
    const tasks = cells.filter(([of]) => of === row).map(([, column]) => column);
    const seconds = tasks.map(
      (column) => countOf(row, column) * ((step ?? 0) * setup.steps * columns[column].steps + SECONDS_BESIDE),
    );
    return { row, step, seconds: seconds.reduce((sum, each) => sum + each, 0) };
  });
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    ...(passed === 0
      ? []
      : [`${formatCount(passed, "cell")} of the file ${passed === 1 ? "is" : "are"} passed over`]),
    `The plan: ${formatCount(names.length, "task")} (${names.join(", ")}); runs per architecture and task, with those that choose a learning rate: ${[...new Set(cells.map(([row, column]) => countOf(row, column)))].join(" or ")}`,
    ...costs.map(({ row, step, seconds }) =>
      step === undefined
        ? `  ${row}: could not be timed`
        : `  ${row}: ${(1000 * step).toFixed(1)} ms per step, ${duration(seconds)} of one core`,
    ),
    `  at most ${duration(total)} of one core in all; finished runs are not repeated`,
  ];
}

/** What counts, for every page. */
const RULE = `Words of one symbol are trained, then of two, and so on to ${settings.laptop.words.longest} until the steps are used up; a length is learned at 99\u00A0%. Reach: the longest trained length up to which each answer is right with 99\u00A0%. Generalization: the length up to which it is so with 90\u00A0%, of at most four times the trained one. A run extends if it was trained to ${LEAST} or more and generalizes to four times that. Who reads the last symbol alone has 1.`;

/** The share of the cells of one layer with this prediction of which a run extends. */
function extendingShare(cells: readonly ZooCell[], prediction: "can" | "cannot"): number[] {
  const { of, extending } = extended(tablePlaces(cells))[prediction];
  return of === 0 ? [] : [extending / of];
}

function zooWords(result: ExperimentResult, cells: readonly ZooCell[]): ExperimentWords {
  const matrices = [
    { layers: "one layer", places: tablePlaces(cells) },
    { layers: "two layers", places: tablePlaces(cells, twoLayerColumns) },
  ];
  const tried = matrices
    .map((each) => ({ ...each, places: triedPlaces(each.places) })) // of a few cells these alone
    .filter(({ places }) => places.length > 0);
  return {
    lead: RULE,
    brief: true,
    views: [
      ...(tried.length === 0 ? matrices.slice(0, 1) : tried).map(({ layers, places }) => ({
        heading: `Reach and generalization of ${layers}`,
        text: 'The sign is the prediction of what can be held at any length, each column\'s before its first run; the numbers are the medians of reach and generalization over the seeds. "Cannot" follows from theory, and so does "can" where weights are set by hand; the other "can" are expected.',
        caption:
          "Darker: further beyond training. Orange and framed: contradicts the prediction. A point: not run. A dot in the corner: weights set by hand solve it.",
        figures: [drawn(zooPredictions(places))],
      })),
      {
        heading: "Every cell",
        text: "A built-in architecture has one learning rate, an own one the best of three by how far it came in training, on a seed that is not reported. State: numbers carried from word to word (of attention, at the longest trained words). Seconds: median of one training on one core.",
        caption: `Result of ${result.date}.`,
        figures: [],
        table: cellTable(matrices.flatMap(({ places }) => places)),
        words: 4,
      },
      ...gradedColumnsOf(cells).map(({ column, cells: own }) => ({
        heading: `${columns[column].programs!.heading}: ${columnLabel(column)}`, // of a graded one
        text: scaleRule(column),
        caption: `The task: ${columns[column].summary}. Median, lowest and highest of the reported seeds; ${chanceScore(column)}.`,
        figures: [],
        table: gradedTable(column, own),
        words: 4,
      })),
    ],
    untabled: ["cell", "reached"],
    table: terminalTable(tried, gradedColumnsOf(cells)),
  };
}

const drawn = (figure: PredictionsFigure) => ({
  ...{ kind: "drawing" as const, title: figure.title, drawing: predictionsFigure(figure) },
});

/** The first matrix of words that were run; without any, the first graded task. The page shows the rest. */
function terminalTable(
  [matrix, ...matrices]: readonly { readonly layers: string; readonly places: Place[][] }[],
  graded: ReturnType<typeof gradedColumnsOf>,
): NonNullable<ExperimentWords["table"]> {
  const [first, ...further] = graded;
  const others = (left: typeof graded) =>
    left.length === 0
      ? []
      : [`  in the report  ${formatList(left.map(({ column }) => columnLabel(column)))}, a table each`];
  if (matrix === undefined && first !== undefined)
    return {
      table: gradedTable(first.column, first.cells),
      legend: [
        `  ${columnLabel(first.column)}; predicted: 1 is best; median, lowest and highest of the seeds`,
        ...others(further),
      ],
    };
  return {
    table: matrixTable(matrix?.places ?? []),
    legend: [
      ...matrices.map(({ layers }) => `  in the report  words of ${layers}`),
      "  + predicted solvable, \u2212 predicted unsolvable, h weights set by hand solve it, ! contradicted",
      "  4\u21926  right with 99 % up to 4 symbols as trained, with 90 % up to 6; medians of the seeds",
      ...others(graded),
    ],
  };
}

const isSame = (one: Pick<ZooCell, "row" | "column">, other: Pick<ZooCell, "row" | "column">) =>
  one.row === other.row && one.column === other.column;

/** The newer cell, with the seeds that the older one has besides at the same rate. */
function joined(old: ZooCell | undefined, cell: ZooCell): ZooCell {
  const others =
    old?.rate === cell.rate ? old.runs.filter(({ seed }) => cell.runs.every((run) => run.seed !== seed)) : [];
  if (others.length === 0) return old && old.runs.length > cell.runs.length ? old : cell;
  const runs = [...others, ...cell.runs].toSorted((a, b) => a.seed - b.seed);
  return { ...cell, runs, grid: cell.grid.length > 0 ? cell.grid : old!.grid } as ZooCell; // of one column, so of one kind
}

export function merged(before: readonly ZooCell[], found: readonly ZooCell[], at: string): ZooCell[] {
  const built = found.filter(({ row, column }) => Object.hasOwn(rows, row) && Object.hasOwn(columns, column));
  const kept = new Map(before.map((cell) => [`${cell.row}\0${cell.column}`, cell]));
  for (const cell of built) {
    const old = before.find((each) => isSame(each, cell));
    if (old !== undefined && old.settings !== cell.settings)
      fail(
        at,
        `${cell.row} on ${cell.column} with the settings ${old.settings}, which are frozen`,
        cell.settings,
        "Give what has other settings another name",
      );
    kept.set(`${cell.row}\0${cell.column}`, joined(old, cell));
  }
  const place = (names: object, name: string) => Object.keys(names).indexOf(name);
  return [...kept.values()].toSorted(
    (a, b) => place(rows, a.row) - place(rows, b.row) || place(columns, a.column) - place(columns, b.column),
  );
}

const cellsIn = (text: string | undefined, at: string) =>
  text === undefined ? [] : parseWith(ZooCells, parseJson(text, at, "It is under version control"), at).cells;

const cellsText = (cells: readonly ZooCell[]) =>
  `{"version":1,"cells":[\n${cells.map((cell) => JSON.stringify(cell)).join(",\n")}\n]}\n`;

export const keeping: Keeping = {
  file: "cells",
  text: (result) => cellsText(resultCells(result)),

  merge(before, result, at) {
    const cells = merged(cellsIn(before, at), resultCells(result), at);
    // That every cell has; what is claimed is of one layer.
    const own = cells.filter(({ column }) => !twoLayerColumns.includes(column));
    const [first = [], ...others] = own.map(({ runs }) => runs.map(({ seed }) => seed));
    const seeds = first.filter((seed) => others.every((each) => each.includes(seed)));
    // Nights in pieces are one result: what is claimed is of all cells, and so are the command and the seconds, which are of training on one core.
    const whole: ExperimentResult = {
      ...result,
      command: `statelab reproduce zoo --scale ${result.scale} --seeds ${seeds.length}`,
      seeds,
      seconds: cells.reduce((sum, { runs, grid, seconds }) => sum + (runs.length + grid.length) * seconds, 0),
      ...{ results: [], training: [], measurements: [] }, // those of one piece are not all; the cells have them
      claims: result.claims.map((claim, i) => ({
        ...claim,
        values: extendingShare(cells, predictionsClaimed[i]),
      })),
      checks: zooChecks(cells),
      findings: [
        ...zooChecks(cells).flatMap((each) => (each.met === true ? [] : [checkText(each)])),
        ...(result.failures ?? []),
      ],
    };
    return { text: cellsText(cells), result: whole };
  },

  parts: (text, at) => zooParts(cellsIn(text, at)),
  figure: (text, at) => zooFigure(cellsIn(text, at)),
};

const predictionsClaimed = ["can", "cannot"] as const;

export const zoo = defineExperiment<ZooSettings>({
  name: "zoo",
  question: "How far can each architecture follow which states, and beyond its training?",
  about: "How far does each architecture follow words of ten groups?",
  models: Object.fromEntries(
    Object.entries(rows).map(([name, { label, summary }]) => [name, { label, summary }]),
  ),
  settings,
  options,
  keepsRuns: true,
  curvePoints: 4,
  byNameOnly: true,
  openEnded: true,
  keeping,
  measurements: [cell, reached, stepTime],
  published: predictionsClaimed.map((prediction) => ({
    statement: `Cells predicted ${prediction === "can" ? "solvable" : "unsolvable"}, with a run that extends to four times its training`,
    here: "share of such cells of one layer that were run (experiments/zoo/predictions.ts)",
    measure: (result) => extendingShare(resultCells(result), prediction),
  })),

  plan: zooPlan,
  measureRun,
  measureWork: timed,
  // A prediction is that a model learns, or that it does not.
  checks: (result) => aboutTraining(...zooChecks(resultCells(result))),
  report: (result) => zooWords(result, resultCells(result)),
});

/** Which cell a run is of and what it carries; of words how long they were in training, and how long they are answered. */
async function* measureRun(trained: TrainedRun, run: PlannedRun): Measuring {
  yield { done: 0, of: 1 };
  const { model, data, config, stalled } = trained;
  const { name } = config.model;
  const code = isModulePath(name) ? sha256((await bundleSource(name)).code) : "";
  const words = data.variant(run.tests.at(-1)?.change ?? {}, "zoo").maximumWords;
  const state = Object.values(stateShapes(model, words)).reduce((sum, shape) => sum + size(shape), 0);
  const note = settingsHash(run.config, run.tests, code);
  const rate = config.train.learningRate;
  const rows = [cell.row({ at: { rate }, values: { state }, note })];
  if (columns[columnOf(run.setting)].programs !== undefined) return rows;
  const stages = config.curriculum.stages;
  const longest = Number(stages[(stalled?.reached ?? stages.length) - 1][0].length);
  // Of short words all are in training.
  const { exclude: _, ...all } = testAbout(trained, { length: 4 * longest }, config.evaluate.examples);
  const weights = { tree: trained.tree, data: trained.weights };
  const { accuracyByReveal } = await evaluate(model, weights, all, trained.runtime);
  const upTo = (share: number) => {
    const first = accuracyByReveal.findIndex((accuracy) => accuracy < share);
    return first === -1 ? accuracyByReveal.length : first;
  };
  const values = { trained: longest, reach: Math.min(longest, upTo(0.99)), generalization: upTo(0.9) };
  return [...rows, reached.row({ at: { rate }, values })];
}

/** No run extends that theory says cannot, and no pair is the other way round than predicted. */
export function zooChecks(cells: readonly ZooCell[]): Check[] {
  const contradicted = [stateColumns, twoLayerColumns]
    .flatMap((across) => tablePlaces(cells, across).flat())
    .flatMap((place) =>
      place.standing?.verdict === "contradicted"
        ? atMost(
            `${placeName(place)}: runs that extend`,
            [[...place.cell!.runs, ...place.cell!.grid].filter(extendsBeyond).length], // it was run
            0,
            "number",
          )
        : [],
    );
  const orders = gradedColumnsOf(cells).flatMap(({ column, cells: own }) => {
    const pairs = orderedPairs(own);
    const count = (order: Order) => pairs.filter((pair) => pair.order === order).length;
    return [
      ...atLeast(
        `${columnLabel(column)}: pairs in the predicted order`,
        pairs.length === 0 ? [] : [count("held")],
        pairs.length,
        "number",
      ),
      ...pairs.flatMap(({ higher, lower, order }) =>
        order === "against"
          ? check(
              `${columnLabel(column)}: ${rowLabel(higher)} above ${rowLabel(lower)}`,
              "in every seed",
              [0],
              false,
              "number",
            )
          : [],
      ),
    ];
  });
  return [...contradicted, ...orders];
}
