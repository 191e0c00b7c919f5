/**
 * @file The page of `statelab report`: any runs compared. Checks of their training, accuracy by test, learning curves, and the settings
 * that differ.
 *
 *     betaMax=2 (2 seeds)    97.1 % [93.0, 99.8]    at commands 48, spacing 24
 *     betaMax=1, seed 0      stage of its curriculum    at least 5    4    no
 *
 * A kind is runs that differ in the seed alone.
 */

import type { Line, LinesFigure, Point } from "../analysis/figures.ts";
import { meanAccuracyWithError } from "../analysis/seed-aggregate.ts";
import { duration, formatCount, formatList, integer, percent, percentSign } from "../core/format.ts";
import { leaves } from "../core/json.ts";
import { mean } from "../core/statistics.ts";
import { LEARNED, unlearned } from "../schemas/convergence.ts";
import type { Check, ResultRow, TrainingCurve } from "../schemas/experiment-result.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import { grouped } from "./aggregate.ts";
import { type ReportedStream, type StreamedKind, streamSection } from "./async-data.ts";
import { standAloneFigure } from "./figure-files.ts";
import { linesFigure } from "./figures/lines.ts";
import { trainingFigure } from "./figures/training.ts";
import {
  cards,
  command,
  facts,
  list,
  muted,
  type PlainTable,
  paragraph,
  plainTable,
  reportPage,
  section,
} from "./html.ts";
import { checksSection, TRAINING_CAPTION } from "./sections.ts";
import { brackets, spaced } from "./shares.ts";
import { element, type Markup } from "./svg.ts";

/** A test that a run was asked. */
export interface ReportedTest {
  /** `commands 48, spacing 24`. */
  readonly name: string;
  readonly change: Readonly<Record<string, unknown>>;
  /** Whether programs of this shape were in what this run was trained on. */
  readonly asTrained: boolean;
  /** Whether they have the densest reveals that this run was trained on: these decide whether it has learned. */
  readonly densest: boolean;
  readonly programs: number;
  readonly reveals: number;
  readonly accuracy: number;
  readonly accuracyLast: number;
  /** 95 % interval of `accuracy` over the programs. */
  readonly interval?: readonly [low: number, high: number];
  /** Accuracy of the task's computed solvers on the same programs. */
  readonly references: Readonly<Record<string, number>>;
}

export interface ReportedRun {
  readonly folder: string;
  readonly config: RunConfig;
  /** Last step of its training. */
  readonly step: number;
  readonly curve: Omit<TrainingCurve, "setting" | "model">;
  readonly tests: readonly ReportedTest[];
  /** The densest reveals of its training, named like tests. */
  readonly densest: readonly string[];
  /** If other processes made its examples. */
  readonly stream?: ReportedStream;
}

/** Runs that differ in nothing but the seed. */
export interface ReportedKind {
  readonly name: string;
  readonly runs: readonly ReportedRun[];
}

export interface RunsWords {
  /** Draws the page again. */
  readonly command: string;
}

/** Fewer values are not drawn as a line. */
const LEAST_VALUES = 3;
const dash = "\u2013";

/** One HTML file. */
export function runsReport(kinds: readonly ReportedKind[], words: RunsWords): string {
  const runs = kinds.flatMap((kind) => kind.runs);
  const count = formatCount(runs.length, "run");
  return reportPage(
    {
      eyebrow: `runs \u00B7 ${count}`,
      title: kinds.length === 1 ? kinds[0]!.name : `${formatCount(kinds.length, "kind")} of runs`,
    },
    checksSection({ checks: runChecks(kinds) }),
    answersSection(kinds),
    linesSection(kinds),
    learnedSection(kinds),
    streamSection(kinds.map(streamedOf)),
    settingsSection(kinds),
    section("Draw it again", command(words.command)),
  );
}

const streamedOf = ({ name, runs }: ReportedKind, index: number): StreamedKind => ({
  ...{ name, index },
  runs: runs.flatMap(({ config, stream }) =>
    stream === undefined ? [] : [{ seed: config.seed, batch: config.train.batch, stream }],
  ),
});

/** Every test of any run, in order. */
const testsOf = (kinds: readonly ReportedKind[]): ReportedTest[] => [
  ...new Map(
    kinds.flatMap(({ runs }) => runs.flatMap(({ tests }) => tests)).map((test) => [test.name, test]),
  ).values(),
];

const answersOf = ({ runs }: ReportedKind, name: string): ReportedTest[] =>
  runs.flatMap(({ tests }) => tests.find((test) => test.name === name) ?? []);

/** Expectations that a run must meet before its numbers are compared; those that are not met. */
export function runChecks(kinds: readonly ReportedKind[]): Check[] {
  return kinds.flatMap(({ name, runs }) => {
    const unmet = (
      run: ReportedRun,
      what: string,
      expected: string,
      value: number,
      unit: Check["unit"],
    ): Check => ({
      name: `${runs.length === 1 ? name : `${name}, seed ${run.config.seed}`}: ${what}`,
      ...{ expected, values: [value], met: false, unit },
    });
    const results = runs.flatMap((run) =>
      run.tests.flatMap((test) => (test.densest ? [rowOf(name, run, test)] : [])),
    );
    const training = runs.map(({ curve }) => ({ ...curve, setting: "", model: name }));
    const missed = unlearned({ results, training });
    return runs.flatMap((run) => {
      const { step, config, curve, tests, densest } = run;
      const { steps } = config.train;
      const { reached, of } = curve.stages ?? { reached: 0, of: 0 };
      return [
        ...(step < steps ? [unmet(run, "steps", integer(steps), step, "number")] : []),
        ...(step >= steps && reached < of
          ? [unmet(run, "stage of its curriculum", String(of), reached, "number")]
          : []),
        ...missed.flatMap(({ seed, accuracy, at }) =>
          seed === config.seed
            ? [
                unmet(
                  run,
                  `densest reveals of its training, ${at}`,
                  `at least ${percentSign(LEARNED)}`,
                  accuracy,
                  "share",
                ),
              ]
            : [],
        ),
        ...(tests.length > 0 && !tests.some((test) => test.densest)
          ? [unmet(run, "tests of the densest reveals of its training", formatList(densest), 0, "number")]
          : []),
      ];
    });
  });
}

function rowOf(name: string, { config }: ReportedRun, test: ReportedTest): ResultRow {
  const shares = (accuracy: number) => ({ accuracy, accuracyLast: accuracy, accuracyByReveal: [] });
  const { change, programs, reveals } = test;
  // A judged test has the spacing of the training, so the field of the test is dropped.
  const { spacing: _, ...task } = { ...config.task, ...change };
  return {
    ...{ setting: "", model: name, seed: config.seed, ...shares(test.accuracy) },
    tested: { name: test.name, change: task, programs, reveals, asTrained: true, chance: 0 },
    references: Object.fromEntries(
      Object.entries(test.references).map(([key, share]) => [key, shares(share)]),
    ),
  };
}

interface KindTest extends Pick<ReportedTest, "accuracy" | "accuracyLast" | "interval" | "references"> {
  readonly test: string;
  readonly name: string;
  readonly seeds: number;
  /** Seeds with programs of this shape in what they were trained on. */
  readonly trained: number;
}

/** Means over the seeds of each kind, by test, with Student's interval over seeds; for one seed the interval over its programs. */
export function kindTests(kinds: readonly ReportedKind[]): KindTest[] {
  return testsOf(kinds).flatMap(({ name: test }) =>
    kinds.flatMap((kind) => {
      const answers = answersOf(kind, test);
      if (answers.length === 0) return [];
      const { mean: accuracy, interval: overSeeds } = meanAccuracyWithError(
        answers.map(({ accuracy }) => accuracy),
      );
      const interval = answers.length === 1 ? answers[0]!.interval : overSeeds;
      const references = new Set(answers.flatMap((each) => Object.keys(each.references)));
      return [
        {
          ...{ test, name: kind.name, seeds: answers.length },
          trained: answers.filter(({ asTrained }) => asTrained).length,
          ...{ accuracy, ...(interval && { interval }) },
          accuracyLast: mean(answers.map(({ accuracyLast }) => accuracyLast)),
          references: Object.fromEntries(
            [...references].map((key) => [key, mean(answers.flatMap((each) => each.references[key] ?? []))]),
          ),
        },
      ];
    }),
  );
}

export const testsCaption =
  "Accuracy in percent, mean over seeds. [ ]: 95 % confidence interval over seeds (Student), or over the programs of one seed. * : not trained. The last columns are the references on the same programs.";

/** Accuracy of each kind in each test; no rows if nothing was tested. */
export function testsTable(kinds: readonly ReportedKind[]): PlainTable {
  const tests = kindTests(kinds);
  const references = [...new Set(tests.flatMap((test) => Object.keys(test.references)))];
  return {
    columns: ["test", "runs", "seeds", "all reveals", "last reveal", ...references.map(spaced)],
    rows: tests.map((each) => {
      const { test, name, trained, seeds, accuracy, interval } = each;
      const mark = trained === 0 ? " *" : trained < seeds ? ` (${trained} of ${seeds} trained)` : "";
      return [
        ...[`${test}${mark}`, name, String(seeds)],
        `${percent(accuracy)} %${interval === undefined ? "" : ` ${brackets(interval)}`}`,
        percent(each.accuracyLast),
        ...references.map((key) => (key in each.references ? percent(each.references[key]!) : dash)),
      ];
    }),
  };
}

function answersSection(kinds: readonly ReportedKind[]): Markup {
  const table = testsTable(kinds);
  if (table.rows.length === 0) return section("Tests", muted("Not tested yet."));
  return section("Tests", paragraph(testsCaption), plainTable(table, 2));
}

function linesSection(kinds: readonly ReportedKind[]): Markup | null {
  const figures = figuresOf(kinds);
  if (figures.length === 0) return null;
  return section(
    "By what is changed",
    cards(
      figures.map(linesFigure),
      "Accuracy in percent. Strong line: mean over seeds; thin lines: seeds. Gray: the windowed filter, where the task has one.",
    ),
  );
}

/** For each changed number, the tests that differ in nothing else: for example accuracy by spacing at 12 commands. */
function figuresOf(kinds: readonly ReportedKind[]): LinesFigure[] {
  const [first] = kinds;
  const task = first?.runs[0]?.config.task ?? {};
  const whole = (test: ReportedTest): Record<string, unknown> => ({ ...task, ...test.change });
  const tests = testsOf(kinds);
  const keys = [...new Set(tests.flatMap(({ change }) => Object.keys(change)))].filter((key) =>
    tests.every((test) => !(key in test.change) || typeof test.change[key] === "number"),
  );
  return keys.flatMap((key) => {
    const alike = grouped(
      tests.filter((test) => typeof whole(test)[key] === "number"),
      (test) => JSON.stringify(Object.entries({ ...whole(test), [key]: 0 }).toSorted()),
    );
    return [...alike.values()].flatMap((own): LinesFigure[] => {
      const points = (of: (test: ReportedTest) => number | undefined) =>
        own
          .flatMap((test): Point[] => {
            const share = of(test);
            return share === undefined ? [] : [[Number(whole(test)[key]), share]];
          })
          .toSorted(([a], [b]) => a - b);
      const values = points(() => 0).map(([x]) => x);
      if (new Set(values).size < LEAST_VALUES) return [];
      const others = Object.entries(own[0]!.change).filter(([name]) => name !== key);
      const windowed = points((test) => test.references.windowedBayes);
      return [
        {
          kind: "lines",
          title:
            others.length === 0
              ? `by ${spaced(key)}`
              : formatList(others.map(([name, value]) => `${name} ${value}`)),
          xLabel: spaced(key),
          scale: values.every((value) => value > 0) && values.at(-1)! / values[0]! >= 8 ? "log2" : "linear",
          chance: 0,
          ...(windowed.length > 0 && { window: { label: "windowed filter", points: windowed } }),
          lines: kinds.map(
            (kind, index): Line => ({
              label: kind.name,
              index,
              seeds: kind.runs.map(({ config, tests: asked }) => ({
                seed: config.seed,
                points: points((test) => asked.find(({ name }) => name === test.name)?.accuracy),
              })),
            }),
          ),
        },
      ];
    });
  });
}

/** The figures of the page as SVG files, by title. */
export const runsFigures = (kinds: readonly ReportedKind[]): Record<string, string> =>
  Object.fromEntries([
    ...figuresOf(kinds).map((figure) => {
      const by = `by ${figure.xLabel}`;
      const title = `accuracy ${figure.title === by ? by : `${by}, ${figure.title}`}`;
      return [title, standAloneFigure(title, linesFigure(figure))];
    }),
    ...trainingFigures(kinds).map(([name, figure]) => {
      const title = `training of ${name}`;
      return [title, standAloneFigure(title, figure)];
    }),
  ]);

function trainingFigures(kinds: readonly ReportedKind[]): [name: string, figure: Markup][] {
  const curves = kinds.map(({ name, runs }) =>
    runs
      .map(({ curve }): TrainingCurve => ({ ...curve, setting: "", model: name }))
      .filter(({ points }) => points.length > 0),
  );
  const last = Math.max(1, ...curves.flat().flatMap(({ points }) => points.map(({ step }) => step)));
  return curves.flatMap((own, i): [string, Markup][] => {
    const { name } = kinds[i]!;
    return own.length === 0 ? [] : [[name, trainingFigure(name, i, own, last, 0)]];
  });
}

function learnedSection(kinds: readonly ReportedKind[]): Markup {
  const figures = trainingFigures(kinds).map(([, figure]) => figure);
  const table: PlainTable = {
    columns: [
      "runs",
      "seed",
      "parameters",
      "steps",
      "programs",
      "stage",
      "loss at the end",
      "accuracy at the end",
      "trained for",
    ],
    rows: kinds.flatMap(({ name, runs }) =>
      runs.map(({ config, curve, step }) => {
        const end = curve.points.at(-1);
        return [
          name,
          String(config.seed),
          curve.parameters === 0 ? dash : integer(curve.parameters),
          integer(step),
          integer(step * config.train.batch),
          curve.stages === undefined ? dash : `${curve.stages.reached} of ${curve.stages.of}`,
          end === undefined ? dash : end.loss.toPrecision(3),
          end === undefined ? dash : percent(end.accuracy),
          duration(curve.seconds),
        ];
      }),
    ),
  };
  return section(
    "Training curves",
    figures.length === 0 ? muted("No steps are recorded.") : cards(figures, TRAINING_CAPTION),
    plainTable(table, 1),
  );
}

/** One row per setting in which kinds differ; then the shared ones. */
function settingsSection(kinds: readonly ReportedKind[]): Markup {
  const flat = kinds.map(({ runs }) => {
    const { seed: _, ...config } = runs[0]!.config;
    return new Map(leaves(config).map(([key, value]) => [key, String(value)]));
  });
  const keys = [...new Set(flat.flatMap((each) => [...each.keys()]))];
  const differing = keys.filter((key) => new Set(flat.map((each) => each.get(key))).size > 1);
  const shared = keys.filter((key) => !differing.includes(key));
  const table: PlainTable = {
    columns: ["setting", ...kinds.map(({ name }) => name)],
    rows: differing.map((key) => [key, ...flat.map((each) => each.get(key) ?? dash)]),
  };
  return section(
    "Settings",
    differing.length === 0 ? null : plainTable(table, kinds.length + 1),
    element(
      "details",
      {},
      element("summary", {}, differing.length === 0 ? "All settings" : "What they share"),
      facts(shared.map((key) => [key, flat[0]!.get(key) ?? ""])),
    ),
    element(
      "details",
      {},
      element("summary", {}, "Folders"),
      list(kinds.flatMap(({ runs }) => runs.map(({ folder }) => folder))),
    ),
  );
}
