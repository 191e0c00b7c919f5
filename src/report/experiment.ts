/**
 * @file The report of an experiment: the table of expectations, its figures, all numbers, what was published. The experiment supplies
 * figures with fixed captions; the other parts are the same for all.
 */

import type { LinesFigure } from "../analysis/figures.ts";
import { formatCount, percent, percentRange } from "../core/format.ts";
import { mean, scaledAccuracy } from "../core/statistics.ts";
import type { ExperimentResult, ResultRow } from "../schemas/experiment-result.ts";
import { grouped, spread } from "./aggregate.ts";
import { standAloneFigure } from "./figure-files.ts";
import { type GridFigure, gridFigure } from "./figures/cells.ts";
import {
  describeLines,
  describeNumbers,
  linesFigure,
  type NumbersFigure,
  numbersFigure,
} from "./figures/lines.ts";
import { cards, type PlainTable, paragraph, plainTable, reportPage, section } from "./html.ts";
import {
  againSection,
  checksSection,
  claimsSection,
  failuresSection,
  findingsSection,
  labelOf,
  measurementTables,
  modelOrder,
  smokeBanner,
  taskSection,
  trainingSection,
} from "./sections.ts";
import { element, type Markup } from "./svg.ts";

export interface Report {
  /** One self-contained HTML file. */
  readonly page: string;
  /** SVG files by name. */
  readonly figures: Readonly<Record<string, string>>;
  readonly table: PlainTable;
  /** One line per column of the table. */
  readonly legend: readonly string[];
}

export interface ExperimentWords {
  /** Text below the question. */
  readonly lead?: string;
  readonly views: readonly View[];
  /** Measurements shown in figures only; result.json has their numbers. */
  readonly untabled?: readonly string[];
  /** The views are complete: no table of all numbers, no curves. */
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
  /** Below the figures. */
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
  const { question: heading, experiment, scale, seeds } = result;
  const figures = views.flatMap((view) => view.figures);
  return {
    page: reportPage(
      {
        eyebrow: `${experiment} \u00B7 ${scale} scale \u00B7 ${formatCount(seeds.length, "seed")}`,
        ...{ title: experiment, heading, description: heading },
        lead: [lead === undefined ? null : element("p", { class: "lead" }, lead), smokeBanner(result)],
      },
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
    ),
    figures: Object.fromEntries(
      figures.map((figure, i) => [
        figures.length === 1 ? experiment : `${experiment}-${i + 1}`,
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
      "  accuracy     percent of all reveals, mean over seeds (lowest-highest); last: of the last in each program",
      "  scaled       accuracy with chance at 0 and no mistake at 100",
      "  exact        the exact Bayes filter; windowed: without memory beyond the window. * not trained",
    ],
  };
}

const viewSection = ({ heading, text, caption, figures, table, words }: View): Markup =>
  section(
    heading,
    paragraph(text),
    cards(figures.map(drawing), caption, table === undefined ? null : plainTable(table, words)),
  );

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

/** Settings and tests in the order of the results, models in the order of `modelOrder`. */
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

/** One row per setting, test and model, all numbers percent. */
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

/** One table per measurement other than accuracy. */
function measuredSection(result: ExperimentResult, untabled: readonly string[]): Markup | null {
  const tables = measurementTables(result).filter(({ name }) => !untabled.includes(name));
  if (tables.length === 0) return null;
  return section(
    "All measurements",
    result.seeds.length === 1 ? null : paragraph("Mean over seeds (lowest\u2013highest)."),
    tables.map(({ label, table, words }) => [element("h3", {}, label), plainTable(table, words)]),
  );
}

function numbersSection(result: ExperimentResult): Markup {
  const { columns, rows } = experimentTable(result);
  const words = columns.length - COLUMNS.length;
  const labelled = (cell: string, i: number) => (i === words - 1 ? labelOf(result, cell) : cell);
  return section(
    "All numbers",
    paragraph("Percent; with several seeds their mean (lowest\u2013highest). * : not trained."),
    plainTable({ columns, rows: rows.map((row) => row.map(labelled)) }, words),
  );
}
