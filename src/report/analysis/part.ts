/** @file One part of the page of an analysis: a question, figures, what they mean. All parts look alike. */

import { section } from "../page.ts";
import { type Child, element, type Markup } from "../svg.ts";

export interface AnalysisPart {
  readonly heading: string;
  /** What is asked and how it was measured: paragraphs. */
  readonly how: readonly string[];
  /** By name, which becomes a file's. */
  readonly figures: Readonly<Record<string, Markup>>;
  readonly caption: string;
  /** What was found, in words that follow from the numbers. */
  readonly meaning: readonly string[];
  /** How sure that is, and what it does not say. */
  readonly caution?: string;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

export function partSection(part: AnalysisPart, command: string): Markup {
  const cards = (narrow: boolean) =>
    Object.values(part.figures)
      .filter((figure) => isNarrow(figure) === narrow)
      .map((figure) => element("div", { class: "card" }, figure));
  return section(
    part.heading,
    part.how.map((paragraph) => element("p", {}, paragraph)),
    Object.keys(part.figures).length === 0
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

export function plainTable({ columns, rows }: NonNullable<AnalysisPart["table"]>): Markup {
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

/** Heads as they are named everywhere on the page: both counted from 0. */
export const headName = ({ layer, head }: { readonly layer: number; readonly head: number }) =>
  `layer ${layer}, head ${head}`;
export const shortHead = ({ layer, head }: { readonly layer: number; readonly head: number }) =>
  `${layer}.${head}`;
