/**
 * @file The report of an experiment: its answer in a sentence, its figures, all numbers, what was published, what
 * disagrees. The experiment says in words and figures what its numbers mean; everything else is the same for all.
 */

import type { LinesFigure } from "../analysis/figures.ts";
import { counted, percent, percentRange } from "../core/format.ts";
import { mean, scaledAccuracy } from "../core/statistics.ts";
import type { ExperimentResult, ResultRow } from "../schemas/experiment-result.ts";
import type { PlainTable } from "./accuracy-table.ts";
import { grouped, spread } from "./aggregate.ts";
import { type GridFigure, gridFigure } from "./figures/grid.ts";
import { describeLines, linesFigure } from "./figures/lines.ts";
import { describeNumbers, type NumbersFigure, numbersFigure } from "./figures/numbers.ts";
import { page, section } from "./html.ts";
import { measurementTables, plainTable } from "./measurements.ts";
import type { Report } from "./report.ts";
import {
  againSection,
  checksSection,
  claimsSection,
  failuresSection,
  findingsSection,
  labelOf,
  modelOrder,
  smokeBanner,
  taskSection,
  trainingSection,
} from "./sections.ts";
import { element, type Markup } from "./svg.ts";
import { standAloneFigure } from "./svg-export.ts";

export interface ExperimentWords {
  /** What a reader needs to know beside the question. */
  readonly lead?: string;
  readonly views: readonly View[];
  /** Names of measurements that figures show and no table repeats; they are in result.json. */
  readonly untabled?: readonly string[];
  /** Its views say all: no table of all numbers, no curves. */
  readonly brief?: true;
  /** For the terminal, with its legend; by default all accuracies, or where there are none all measurements. */
  readonly table?: Pick<Report, "table" | "legend">;
}

/** A question within the experiment, and the figures that answer it. */
export interface View {
  readonly heading: string;
  readonly text: string;
  readonly caption: string;
  readonly figures: readonly Figure[];
  /** Stands below the figures. */
  readonly table?: PlainTable;
  /** How many of its columns, from the left, are words; 1 by default. */
  readonly words?: number;
}

/** Any other drawing: an <svg> with a viewBox that begins at 0 0. */
export interface Drawing {
  readonly kind: "drawing";
  readonly title: string;
  readonly drawing: Markup;
}

type Figure = LinesFigure | NumbersFigure | GridFigure | Drawing;

export function experimentReport(result: ExperimentResult, words: ExperimentWords): Report {
  const { lead, views } = words;
  const title = result.question;
  const body = element(
    "main",
    {},
    element(
      "header",
      {},
      element(
        "p",
        { class: "eyebrow" },
        `Statelab \u00B7 ${result.experiment} \u00B7 ${result.scale} scale \u00B7 ${counted(result.seeds.length, "seed")}`,
      ),
      element("h1", {}, title),
      lead === undefined ? null : element("p", { class: "lead" }, lead),
      smokeBanner(result),
    ),
    checksSection(result),
    views.map(viewSection),
    words.brief || (result.results.length === 0 && result.measurements.length > 0)
      ? null
      : numbersSection(result),
    measuredSection(result, words.untabled ?? []),
    claimsSection(result),
    result.checks === undefined ? findingsSection(result) : failuresSection(result),
    taskSection(result),
    words.brief || (result.training.length === 0 && result.measurements.length > 0)
      ? null
      : trainingSection(result),
    againSection(result),
  );
  const figures = views.flatMap((view) => view.figures);
  return {
    page: page({ title: `${result.experiment} \u00B7 Statelab`, description: title, body: [body] }),
    figures: Object.fromEntries(
      figures.map((figure, i) => [
        figures.length === 1 ? result.experiment : `${result.experiment}-${i + 1}`,
        standAloneFigure(inWords(figure), drawing(figure)),
      ]),
    ),
    ...(words.table ?? terminalTable(result)),
  };
}

function terminalTable(result: ExperimentResult): Pick<Report, "table" | "legend"> {
  const [measured] = measurementTables(result);
  if (result.results.length === 0 && measured !== undefined)
    return {
      table: measured.table,
      legend: [`  ${measured.label}; with several seeds their mean (lowest-highest)`],
    };
  return {
    table: experimentTable(result),
    legend: [
      "  accuracy     percent of all revealed values named, mean over seeds (lowest-highest); last: of the last in each program",
      "  scaled       accuracy with a uniform guess at 0 and no mistake at 100",
      "  exact        the best that can be known; windowed: the best without memory beyond the window. * never trained",
    ],
  };
}

function viewSection({ heading, text, caption, figures, table, words }: View): Markup {
  return section(
    heading,
    element("p", {}, text),
    element(
      "figure",
      {},
      element(
        "div",
        { class: "grid" },
        figures.map((figure) => element("div", { class: "card" }, drawing(figure))),
      ),
      table === undefined ? null : element("div", { class: "card flow" }, plainTable(table, words)),
      element("figcaption", {}, caption),
    ),
  );
}

function inWords(figure: Figure): string {
  if (figure.kind === "lines") return describeLines(figure);
  return figure.kind === "numbers" ? describeNumbers(figure) : figure.title;
}

function drawing(figure: Figure): Markup {
  switch (figure.kind) {
    case "lines":
      return linesFigure(figure);
    case "numbers":
      return numbersFigure(figure);
    case "grid":
      return gridFigure(figure);
    case "drawing":
      return figure.drawing;
    default:
      return figure satisfies never;
  }
}

interface TableRow {
  readonly setting: string;
  readonly test: string;
  readonly model: string;
  readonly rows: readonly ResultRow[];
}

/** Settings and tests in the order in which they were asked, models in theirs. */
function tableRows(result: ExperimentResult): TableRow[] {
  const order = modelOrder(result);
  const bySetting = grouped(result.results, ({ setting }) => setting);
  return [...bySetting].flatMap(([setting, own]) =>
    [...grouped(own, ({ tested }) => tested.name)].flatMap(([test, asked]) =>
      [...grouped(asked, ({ model }) => model)]
        .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
        .map(([model, rows]) => ({ setting, test, model, rows })),
    ),
  );
}

const REFERENCES = { exact: "exactBayes", windowed: "windowedBayes" } as const;

function cellsOf({ rows }: TableRow): string[] {
  const shown = (value: (row: ResultRow) => number) => {
    const { mean: middle, min, max } = spread(rows.map(value));
    if (rows.length === 1 || percent(min) === percent(max)) return percent(middle);
    return `${percent(middle)} (${percentRange(min, max)})`;
  };
  const reference = (name: string) =>
    rows.every(({ references }) => Object.hasOwn(references, name))
      ? percent(mean(rows.map(({ references }) => references[name]!.accuracy)))
      : "";
  return [
    shown(({ accuracy }) => accuracy),
    shown(({ accuracyLast }) => accuracyLast),
    shown(({ accuracy, tested }) => scaledAccuracy(accuracy, tested.chance)),
    ...Object.values(REFERENCES).map(reference),
  ];
}

const COLUMNS = ["accuracy", "last", "scaled", ...Object.keys(REFERENCES)];

/** One row a setting, test and model, all numbers percent. */
export function experimentTable(result: ExperimentResult): PlainTable {
  const several = result.results.some(({ setting }) => setting !== "");
  return {
    columns: [...(several ? ["setting"] : []), "test", "model", ...COLUMNS],
    rows: tableRows(result).map((row) => [
      ...(several ? [row.setting] : []),
      `${row.test}${row.rows.every(({ tested }) => tested.asTrained) ? "" : " *"}`,
      row.model,
      ...cellsOf(row),
    ]),
  };
}

/** One table a name, folded in words: what was measured beside accuracy. */
function measuredSection(result: ExperimentResult, untabled: readonly string[]): Markup | null {
  const tables = measurementTables(result).filter(({ name }) => !untabled.includes(name));
  if (tables.length === 0) return null;
  return section(
    "All measurements",
    result.seeds.length === 1 ? null : element("p", {}, "Mean over seeds (lowest\u2013highest)."),
    tables.map(({ label, table, words }) =>
      element("div", { class: "card flow" }, element("h3", {}, label), plainTable(table, words)),
    ),
  );
}

function numbersSection(result: ExperimentResult): Markup {
  const { columns, rows } = experimentTable(result);
  const words = columns.length - COLUMNS.length;
  const labelled = (cell: string, i: number) => (i === words - 1 ? labelOf(result, cell) : cell);
  return section(
    "All numbers",
    element(
      "p",
      {},
      "Percent; with several seeds their mean (lowest\u2013highest). * : programs of a kind that was never trained.",
    ),
    element(
      "div",
      { class: "card flow" },
      plainTable({ columns, rows: rows.map((row) => row.map(labelled)) }, words),
    ),
  );
}
