/**
 * @file The numbers of a result as a table: HTML for the page, plain rows for the terminal.
 *
 * Every number in the page stands in <data value="...">: the value is the record's own (or the mean over seeds), the text
 * its rounding to a tenth of a percent.
 */

import type { ExperimentResult } from "../records/result.ts";
import { counted, percent } from "./format.ts";
import { marker, seriesClass } from "./marks.ts";
import {
  type Cell,
  type Condition,
  type ModelSummary,
  type Spread,
  type Summary,
  scaledAccuracy,
  summarize,
} from "./summary.ts";
import { element, type Markup } from "./svg.ts";
import { cellAt } from "./verdict.ts";

export interface PlainTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One row a model and condition, all numbers percent; with several seeds their mean, then the lowest and highest. */
export function headlineTable(result: ExperimentResult): PlainTable {
  const { models, conditions } = summarize(result);
  const columns = [
    "model",
    "test",
    "accuracy",
    "last",
    "scaled",
    "exact",
    "windowed",
    "no boundary",
    "holds",
  ];
  const rows = conditions.flatMap((condition) =>
    models.flatMap((model) => {
      const cell = cellAt(model, condition);
      if (cell === undefined) return [];
      const { accuracy, last, scaled, exact, windowed, windowedWithoutBoundary } = cell;
      const numbers = [
        plain(accuracy),
        plain(last),
        plain(scaled),
        ...[exact, windowed, windowedWithoutBoundary].map(percent),
      ];
      return [
        [
          model.name,
          `${condition.key}${condition.asTrained ? "" : " *"}`,
          ...numbers,
          cell.holds ? "yes" : "no",
        ],
      ];
    }),
  );
  return { columns, rows };
}

const HEADINGS = [
  ["All reveals", "accuracy over all reveals"],
  ["Last", "accuracy at the last reveal of each program"],
  ["Scaled", "(accuracy - chance) / (1 - chance), over all reveals"],
  ["Exact", "exact Bayes filter on the same programs"],
  ["Win\u00ADdowed", "windowed Bayes filter"],
  ["No bound\u00ADary", "windowed Bayes filter without the reveal directly before its window"],
] as const;

/** Models by conditions, one group of rows a condition. All numbers are percent. */
export function accuracyTable(summary: Summary): Markup {
  const { models, conditions, chance } = summary;
  return element(
    "table",
    { class: "numbers" },
    element(
      "caption",
      {},
      "All numbers are percent. Bold: within 5 points of the exact filter in every seed.",
    ),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "Model"),
        HEADINGS.map(([name, title]) => element("th", { scope: "col", title }, name)),
      ),
    ),
    conditions.map((condition) =>
      element(
        "tbody",
        {},
        element(
          "tr",
          { class: "group" },
          element("th", { scope: "rowgroup", colspan: HEADINGS.length + 1 }, groupHeading(condition)),
        ),
        models.map((model) => modelRow(model, cellAt(model, condition))),
        element(
          "tr",
          { class: "guessing" },
          element("th", { scope: "row" }, "guessing"),
          [chance, chance, scaledAccuracy(chance, chance)].map((share) => element("td", {}, number(share))),
          element("td", { colspan: 3 }),
        ),
      ),
    ),
  );
}

function groupHeading(condition: Condition): Markup[] {
  const reveal = condition.spacing === 1 ? "every command" : `every ${condition.spacing}`;
  return [
    element("strong", {}, `${counted(condition.commands, "command")}, a reveal ${reveal}`),
    element(
      "span",
      { class: "muted" },
      ` \u00B7 ${condition.asTrained ? "as trained" : "never trained"} \u00B7 ${counted(condition.programs, "program")}, ${counted(condition.reveals, "reveal")}`,
    ),
  ];
}

function modelRow(model: ModelSummary, cell: Cell | undefined): Markup {
  const name = element("th", { scope: "row" }, swatch(model.index), " ", model.label);
  if (cell === undefined)
    return element("tr", {}, name, element("td", { colspan: HEADINGS.length, class: "muted" }, "not tested"));
  const references = [cell.exact, cell.windowed, cell.windowedWithoutBoundary];
  return element(
    "tr",
    {},
    name,
    element("td", {}, cell.holds ? element("strong", {}, spreadOf(cell.accuracy)) : spreadOf(cell.accuracy)),
    element("td", {}, spreadOf(cell.last)),
    element("td", {}, spreadOf(cell.scaled)),
    references.map((share) => element("td", { class: "muted" }, number(share))),
  );
}

/** The model's marker in its colour, as in the figures. */
export function swatch(index: number): Markup {
  return element(
    "svg",
    { class: "fig swatch", viewBox: "0 0 14 14", width: 12, height: 12, "aria-hidden": "true" },
    element("g", { class: seriesClass(index) }, marker(7, 7, index, undefined, 5)),
  );
}

/** A share from the record, with its full precision kept in the page. */
export function number(share: number): Markup {
  return element("data", { value: String(share) }, percent(share));
}

function spreadOf(spread: Spread): Markup[] {
  const mean = number(spread.mean);
  if (spread.values.length === 1) return [mean];
  return [mean, element("small", {}, `${percent(spread.min)}\u2013${percent(spread.max)}`)];
}

function plain({ values, mean, min, max }: Spread): string {
  return values.length === 1 ? percent(mean) : `${percent(mean)} (${percent(min)}-${percent(max)})`;
}
