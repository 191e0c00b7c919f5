/** @file One part of the page of an analysis as markup, its figures drawn by their kind. All parts look alike. */

import type { Figure } from "../analysis/figures.ts";
import type { Part } from "../analysis/section.ts";
import { attentionFigure } from "./figures/attention.ts";
import { distributionFigure } from "./figures/distribution.ts";
import { linesFigure } from "./figures/lines.ts";
import { matrixFigure } from "./figures/matrix.ts";
import { scatterFigure } from "./figures/scatter.ts";
import { section } from "./html.ts";
import { type Child, element, type Markup } from "./svg.ts";

export function drawn(figure: Figure): Markup {
  switch (figure.kind) {
    case "matrix":
      return matrixFigure(figure);
    case "distribution":
      return distributionFigure(figure);
    case "attention":
      return attentionFigure(figure);
    case "scatter":
      return scatterFigure(figure);
    case "lines":
      return linesFigure(figure);
    default:
      return figure satisfies never;
  }
}

/** `figures` are those of the part, drawn; `command` makes it again. */
export function partSection(part: Part, figures: readonly Markup[], command: string): Markup {
  const cards = (narrow: boolean) =>
    figures
      .filter((figure) => isNarrow(figure) === narrow)
      .map((figure) => element("div", { class: "card" }, figure));
  return section(
    part.heading,
    part.how.map((paragraph) => element("p", {}, paragraph)),
    figures.length === 0
      ? null
      : element(
          "figure",
          {},
          element("div", { class: "analysis" }, cards(false)),
          element("div", { class: "grid" }, cards(true)),
          element("figcaption", {}, part.caption),
        ),
    part.table === undefined ? null : element("div", { class: "flow" }, plainTable(part.table)),
    element("h3", {}, "What it means"),
    part.meaning.map((paragraph) => element("p", {}, paragraph)),
    part.caution === undefined ? null : element("p", { class: "caution" }, part.caution),
    element("pre", { class: "command" }, element("code", {}, command)),
  );
}

/** Narrow figures stand side by side. */
const isNarrow = ({ text }: Markup) => Number(/viewBox="0 0 (\S+)/.exec(text)?.[1] ?? 0) <= 420;

function plainTable({ columns, rows }: NonNullable<Part["table"]>): Markup {
  const cell = (content: string, i: number): Child =>
    i === 0 ? element("th", { scope: "row" }, content) : element("td", {}, content);
  return element(
    "table",
    {},
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        columns.map((name) => element("th", { scope: "col" }, name)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.map((row) => element("tr", {}, row.map(cell))),
    ),
  );
}
