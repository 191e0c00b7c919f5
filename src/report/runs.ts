/**
 * @file The page of `statelab report`: any runs, side by side. What each kind of run was asked and had right, how it learned, and in
 * which settings they differ.
 *
 *     betaMax=2 (2 seeds)    97.1 % [93.0, 99.8]    at commands 48, spacing 24
 *     betaMax=1, seed 0      trained in 4 of 5 stages of its curriculum; never on spacing 12
 *
 * A kind is runs that differ in nothing but the seed. Nothing is concluded here: an experiment has a question, runs have numbers.
 */

import type { Line, LinesFigure, Point } from "../analysis/figures.ts";
import { meanShare } from "../analysis/seed-aggregate.ts";
import { counted, duration, integer, listed, percent, percentSign } from "../core/format.ts";
import { mean } from "../core/statistics.ts";
import { unlearned } from "../schemas/convergence.ts";
import { stalledAt, stalledWords } from "../schemas/curriculum-status.ts";
import type { ResultRow, TrainingCurve } from "../schemas/experiment-result.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import type { PlainTable } from "./accuracy-table.ts";
import { grouped } from "./aggregate.ts";
import { type ReportedStream, type StreamedKind, streamSection } from "./async-data.ts";
import { linesFigure } from "./figures/lines.ts";
import { trainingFigure } from "./figures/training.ts";
import { page, section } from "./html.ts";
import { plainTable } from "./measurements.ts";
import { brackets, spaced } from "./shares.ts";
import { element, type Markup } from "./svg.ts";

/** A test that a run was asked. */
export interface ReportedTest {
  /** `commands 48, spacing 24`. */
  readonly name: string;
  readonly change: Readonly<Record<string, unknown>>;
  /** Whether programs of this shape were in what this run was trained on. */
  readonly asTrained: boolean;
  /** Whether they are of the densest reveals that this run was trained on: by these is judged whether it has learned. */
  readonly densest: boolean;
  readonly programs: number;
  readonly reveals: number;
  readonly accuracy: number;
  readonly accuracyLast: number;
  /** Of `accuracy`, at 95 %, over the programs. */
  readonly interval?: readonly [low: number, high: number];
  /** Accuracy of the task's computed solvers on the same programs. */
  readonly references: Readonly<Record<string, number>>;
}

export interface ReportedRun {
  readonly folder: string;
  readonly config: RunConfig;
  /** That it was trained to. */
  readonly step: number;
  readonly curve: Omit<TrainingCurve, "setting" | "model">;
  readonly tests: readonly ReportedTest[];
  /** What the densest reveals of its training are, as tests are named. */
  readonly densest: readonly string[];
  /** Where other processes made its examples. */
  readonly stream?: ReportedStream;
}

/** Runs that differ in nothing but the seed. */
export interface ReportedKind {
  readonly name: string;
  readonly runs: readonly ReportedRun[];
}

export interface RunsWords {
  /** What draws the page again. */
  readonly command: string;
}

/** So few values make no line. */
const LEAST_VALUES = 3;
const dash = "\u2013";

/** One HTML file. */
export function runsReport(kinds: readonly ReportedKind[], { command }: RunsWords): string {
  const runs = kinds.flatMap((kind) => kind.runs);
  const title =
    kinds.length === 1
      ? `${kinds[0]!.name}: ${counted(runs.length, "run")}`
      : `${counted(kinds.length, "kind")} of runs: ${listed(kinds.slice(0, 4).map(({ name }) => name))}${kinds.length > 4 ? " and others" : ""}`;
  const lead = leadOf(kinds);
  const cautions = cautionsOf(kinds);
  const body = element(
    "main",
    {},
    element(
      "header",
      {},
      element("p", { class: "eyebrow" }, `Statelab \u00B7 runs \u00B7 ${counted(runs.length, "run")}`),
      element("h1", {}, title),
      element("p", { class: "lead" }, lead),
      cautions.map((sentence) => element("p", { class: "caution" }, sentence)),
    ),
    answersSection(kinds),
    linesSection(kinds),
    learnedSection(kinds),
    streamSection(kinds.map(streamedOf)),
    settingsSection(kinds),
    section("Draw it again", element("pre", { class: "command" }, element("code", {}, command))),
  );
  return page({ title: `${title} \u00B7 Statelab`, description: lead, body: [body] });
}

const streamedOf = ({ name, runs }: ReportedKind, index: number): StreamedKind => ({
  ...{ name, index },
  runs: runs.flatMap(({ config, stream }) =>
    stream === undefined ? [] : [{ seed: config.seed, batch: config.train.batch, stream }],
  ),
});

/** Every test that any was asked, in the order in which they were. */
const testsOf = (kinds: readonly ReportedKind[]): ReportedTest[] => [
  ...new Map(
    kinds.flatMap(({ runs }) => runs.flatMap(({ tests }) => tests)).map((test) => [test.name, test]),
  ).values(),
];

const answersOf = ({ runs }: ReportedKind, name: string): ReportedTest[] =>
  runs.flatMap(({ tests }) => tests.find((test) => test.name === name) ?? []);

function leadOf(kinds: readonly ReportedKind[]): string {
  const last = testsOf(kinds).at(-1);
  if (last === undefined) return "They have not been asked anything yet: statelab evaluate RUN asks them.";
  const each = kinds.flatMap((kind) => {
    const answers = answersOf(kind, last.name);
    return answers.length === 0 ? [] : [`${kind.name} ${accuracyIn(answers)}`];
  });
  return `At ${last.name}: ${listed(each)}.`;
}

/** What a reader must know before any number: who had not come to its end, or not learned what it was trained on. */
function cautionsOf(kinds: readonly ReportedKind[]): string[] {
  return kinds.flatMap(({ name, runs }) => {
    const of = (run: ReportedRun) => (runs.length === 1 ? name : `${name}, seed ${run.config.seed}`);
    const unfinished = runs
      .filter(({ step, config }) => step < config.train.steps)
      .map(
        (run) => `${of(run)} is trained to step ${integer(run.step)} of ${integer(run.config.train.steps)}.`,
      );
    const over = runs.filter(({ step, config }) => step >= config.train.steps);
    const stalled = [...grouped(over, ({ curve }) => curve.stages?.reached ?? 0)].flatMap(
      ([reached, own]) => {
        const where = stalledAt(own[0]!.config, reached - 1);
        if (reached === 0 || where === undefined) return [];
        const seeds = own.map(({ config }) => String(config.seed));
        const whose =
          runs.length === 1 ? name : `${name}, ${seeds.length === 1 ? "seed" : "seeds"} ${listed(seeds)}`;
        return [`${whose}: ${stalledWords(where)}.`];
      },
    );
    const isJudged = ({ tests }: ReportedRun) => tests.some(({ densest }) => densest);
    const results = runs.flatMap((run) =>
      run.tests.flatMap((test) => (test.densest ? [rowOf(name, run, test)] : [])),
    );
    const training = runs.map(({ curve }) => ({ ...curve, setting: "", model: name }));
    const not = unlearned({ results, training }).map(
      ({ seed, accuracy, at }) =>
        `${runs.length === 1 ? name : `${name}, seed ${seed}`} had not learned the densest reveals that it was trained on: ${percentSign(accuracy)} at ${at}. What it has elsewhere says nothing of what it could hold.`,
    );
    const unjudged = runs
      .filter((run) => run.tests.length > 0 && !isJudged(run))
      .map(
        (run) =>
          `${of(run)} was not tested at the densest reveals of its training (${listed(run.densest)}), so whether it has learned them is unknown.`,
      );
    return [...unfinished, ...stalled, ...not, ...unjudged];
  });
}

function rowOf(name: string, { config }: ReportedRun, test: ReportedTest): ResultRow {
  const shares = (accuracy: number) => ({ accuracy, accuracyLast: accuracy, accuracyByReveal: [] });
  const { change, programs, reveals } = test;
  // Those that are judged have as few commands to a reveal, whatever the test says of it.
  const { spacing: _, ...task } = { ...config.task, ...change };
  return {
    ...{ setting: "", model: name, seed: config.seed, ...shares(test.accuracy) },
    tested: { name: test.name, change: task, programs, reveals, asTrained: true, chance: 0 },
    references: Object.fromEntries(
      Object.entries(test.references).map(([key, share]) => [key, shares(share)]),
    ),
  };
}

/** `97.1 % [93.0, 99.8]`: over seeds Student's interval, none where all have the same; of one seed that over its programs. */
function accuracyIn(answers: readonly ReportedTest[]): string {
  const { mean: share, interval } = meanShare(answers.map(({ accuracy }) => accuracy));
  const shown = answers.length === 1 ? answers[0]!.interval : interval;
  return `${percent(share)} %${shown === undefined ? "" : ` ${brackets(shown)}`}`;
}

function answersSection(kinds: readonly ReportedKind[]): Markup {
  const tests = testsOf(kinds);
  if (tests.length === 0)
    return section("What they were asked", element("p", { class: "muted" }, "Nothing yet."));
  const references = [...new Set(tests.flatMap((test) => Object.keys(test.references)))];
  const table: PlainTable = {
    columns: ["test", "runs", "seeds", "all reveals", "last reveal", ...references.map(spaced)],
    rows: tests.flatMap(({ name }) =>
      kinds.flatMap((kind) => {
        const answers = answersOf(kind, name);
        if (answers.length === 0) return [];
        const trained = answers.filter(({ asTrained }) => asTrained).length;
        const mark =
          trained === 0 ? " *" : trained < answers.length ? ` (${trained} of ${answers.length} trained)` : "";
        return [
          [
            `${name}${mark}`,
            kind.name,
            String(answers.length),
            accuracyIn(answers),
            percent(mean(answers.map(({ accuracyLast }) => accuracyLast))),
            ...references.map((key) => {
              const known = answers.flatMap((test) => test.references[key] ?? []);
              return known.length === 0 ? dash : percent(mean(known));
            }),
          ],
        ];
      }),
    ),
  };
  return section(
    "What they were asked",
    element(
      "p",
      {},
      "Percent of all revealed values named, the mean over seeds. [ ]: at 95 %, Student's over the seeds, of one seed over its programs. * : programs of a kind that was never trained. The others are what a filter can know of the same programs.",
    ),
    element("div", { class: "card flow" }, plainTable(table, 2)),
  );
}

function linesSection(kinds: readonly ReportedKind[]): Markup | null {
  const figures = figuresOf(kinds);
  if (figures.length === 0) return null;
  return section(
    "By what is changed",
    element(
      "figure",
      {},
      element(
        "div",
        { class: "grid" },
        figures.map((figure) => element("div", { class: "card" }, linesFigure(figure))),
      ),
      element(
        "figcaption",
        {},
        "Percent of revealed values named. Strong line: mean over seeds; thin lines: seeds. Grey: the windowed filter, where the task has one.",
      ),
    ),
  );
}

/** For each number that is changed, tests that are alike in all else: accuracy by spacing at 12 commands, say. */
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
              : listed(others.map(([name, value]) => `${name} ${value}`)),
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

function learnedSection(kinds: readonly ReportedKind[]): Markup {
  const curves = kinds.map(({ name, runs }) =>
    runs
      .map(({ curve }): TrainingCurve => ({ ...curve, setting: "", model: name }))
      .filter(({ points }) => points.length > 0),
  );
  const last = Math.max(1, ...curves.flat().flatMap(({ points }) => points.map(({ step }) => step)));
  const figures = curves.flatMap((own, i) =>
    own.length === 0
      ? []
      : [
          element(
            "div",
            { class: "card" },
            trainingFigure(kinds[i]!.name, i, own, last, 0, "stages of the curriculum"),
          ),
        ],
  );
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
    "How each one learned",
    figures.length === 0
      ? element("p", { class: "muted" }, "No steps are recorded.")
      : element(
          "figure",
          {},
          element("div", { class: "grid" }, figures),
          element(
            "figcaption",
            {},
            "Running accuracy (%) on the reveals of the training batches. The strip shows the stages of the curriculum.",
          ),
        ),
    element("div", { class: "card flow below" }, plainTable(table, 1)),
  );
}

/** Settings in which kinds differ, one row each; and all those that they share. */
function settingsSection(kinds: readonly ReportedKind[]): Markup {
  const flat = kinds.map(({ runs }) => {
    const { seed: _, ...config } = runs[0]!.config;
    return new Map(leaves(config));
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
    differing.length === 0
      ? null
      : element("div", { class: "card flow" }, plainTable(table, kinds.length + 1)),
    element(
      "details",
      {},
      element("summary", {}, differing.length === 0 ? "All settings" : "What they share"),
      element(
        "dl",
        { class: "facts" },
        shared.map((key) => [element("dt", {}, key), element("dd", {}, flat[0]!.get(key) ?? "")]),
      ),
    ),
    element(
      "details",
      {},
      element("summary", {}, "Folders"),
      element(
        "ul",
        {},
        kinds.flatMap(({ runs }) => runs.map(({ folder }) => element("li", {}, folder))),
      ),
    ),
  );
}

/** `train.learningRate` -> `0.001`; lists as a whole. */
function leaves(value: unknown, path = ""): [key: string, value: string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`));
}
