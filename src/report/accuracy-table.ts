/**
 * @file The numbers of a result as a table: HTML for the page, plain rows for the terminal.
 *
 * Every number in the page stands in <data value="...">: the value is the record's own (or the mean over seeds), the text
 * its rounding to a tenth of a percent.
 */

import { counted, percent, percentRange } from "../core/format.ts";
import { scaledAccuracy } from "../core/statistics.ts";
import type { ExperimentResult } from "../schemas/experiment-result.ts";
import {
  type Cell,
  type Condition,
  type ModelSummary,
  type Spread,
  type Summary,
  summarize,
} from "./aggregate.ts";
import { marker } from "./figures/shared/marks.ts";
import { cellAt } from "./findings.ts";
import { element, type Markup } from "./svg.ts";
import { seriesClass } from "./theme.ts";

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
          cell.holds ? "yes" : model.learned ? "no" : "not learned",
        ],
      ];
    }),
  );
  return { columns, rows };
}

/** One small table a condition: its models above, the references that they are read against below. All numbers are percent. */
export function accuracyTables(summary: Summary): Markup[] {
  return summary.conditions.map((condition) =>
    element(
      "div",
      { class: "card" },
      element(
        "table",
        { class: "numbers" },
        element("caption", {}, heading(condition)),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("td"),
            ["all", "last"].map((name) => element("th", { scope: "col", class: "range" }, name)),
            element("th", { scope: "col" }, "scaled"),
          ),
        ),
        element(
          "tbody",
          {},
          summary.models.map((model) => modelRow(model, cellAt(model, condition))),
        ),
        element("tbody", { class: "references" }, references(condition)),
      ),
    ),
  );
}

function heading(condition: Condition): Markup[] {
  const often = condition.spacing === 1 ? "after each" : `every ${condition.spacing}`;
  const what = condition.reveal === "full" ? "all printed" : "a reveal";
  const tested = `${counted(condition.programs, "program")}, ${counted(condition.reveals, "reveal")}`;
  return [
    element("strong", {}, `${counted(condition.commands, "command")}, ${what} ${often}`),
    element("br"),
    element(
      "span",
      {},
      `${condition.asTrainedByAll ? "as trained" : condition.asTrained ? "not trained by all" : "never trained"} \u00B7 ${tested}`,
    ),
  ];
}

function modelRow(model: ModelSummary, cell: Cell | undefined): Markup {
  const name = element("th", { scope: "row" }, swatch(model.index), " ", model.label);
  if (cell === undefined)
    return element("tr", {}, name, element("td", { colspan: 3, class: "muted" }, "not tested"));
  return element(
    "tr",
    {},
    name,
    element("td", {}, cell.holds ? element("strong", {}, spreadOf(cell.accuracy)) : spreadOf(cell.accuracy)),
    element("td", {}, spreadOf(cell.last)),
    element("td", {}, number(cell.scaled.mean)),
  );
}

function references(condition: Condition): Markup[] {
  const { exact, windowed, windowedByReveal, windowedWithoutBoundary, chance, reveal } = condition;
  const rows: readonly (readonly [string, number, number | undefined])[] = [
    ["exact filter", exact, undefined],
    ["windowed filter", windowed, windowedByReveal.at(-1)],
    ["\u2026 no boundary", windowedWithoutBoundary, undefined],
    ["guessing", chance, reveal === "full" ? undefined : chance],
  ];
  return rows.map(([name, all, last]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      element("td", {}, number(all)),
      element("td", {}, last === undefined ? null : number(last)),
      element("td", {}, number(scaledAccuracy(all, chance))),
    ),
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
  if (percent(spread.min) === percent(spread.max)) return [mean];
  return [mean, element("small", {}, `${percent(spread.min)}\u2013${percent(spread.max)}`)];
}

function plain({ values, mean, min, max }: Spread): string {
  return values.length === 1 ? percent(mean) : `${percent(mean)} (${percentRange(min, max)})`;
}
